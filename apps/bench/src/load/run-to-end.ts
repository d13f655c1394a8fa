import { spawn } from 'node:child_process';

/** Runs a program on these cores and resolves with what it printed; rejects if it failed. */
export function runToEnd(cores: string, program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('taskset', ['-c', cores, program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const said = ['', ''];
    for (const [index, stream] of [child.stdout, child.stderr].entries())
      stream.on('data', (chunk: Buffer) => (said[index] += chunk.toString('utf8')));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const [out = '', err = ''] = said;
      if (code === 0) resolve(out);
      else reject(new Error(`${program} ended with ${signal ?? code}: ${(err || out).trim().slice(0, 300)}`));
    });
  });
}
