import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Looked } from '@sallyport/states';

const CHILD = fileURLToPath(new URL('./states-child.ts', import.meta.url));

/** Beside the mutants: what is found without a rule means something only if all holds with it. */
export function lookAtStates(seen: (looked: Looked) => void): Promise<boolean> {
  const child = fork(CHILD, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  let holds = true;
  child.on('message', (looked: Looked) => {
    seen(looked);
    if (looked.broken !== undefined) holds = false;
  });
  return new Promise((resolve) => void child.once('exit', (code) => resolve(holds && code === 0)));
}
