import type { ChildProcess } from 'node:child_process';

const children = new Set<ChildProcess>();

/** Ends `child` when this process ends in whatever orderly way; the function it returns forgets the child. */
export function endWithUs(child: ChildProcess): () => void {
  if (children.size === 0) process.on('exit', endAll);
  children.add(child);
  return () => {
    children.delete(child);
    if (children.size === 0) process.off('exit', endAll);
  };
}

function endAll(): void {
  for (const child of children) child.kill('SIGKILL');
}
