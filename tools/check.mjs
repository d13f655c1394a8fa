// `npm run check`: everything that must hold besides the tests. Runs all steps whatever fails, and names each with its time.
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { root } from './start/root.mjs';

const bin = (path) => join(root, 'node_modules', path);

const steps = {
  types: [bin('typescript/bin/tsc'), '-b'],
  'types of tests': [bin('typescript/bin/tsc'), '-p', 'tsconfig.test.json'],
  'format and lint': [
    bin('@biomejs/biome/bin/biome'),
    'ci',
    '--error-on-warnings',
    `--colors=${process.stdout.isTTY ? 'force' : 'off'}`,
  ],
  'lint by types': [bin('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings'],
  'generated files': [join(root, 'tools/gen.mjs'), '--check'],
  mutants: ['--conditions=@sallyport/source', join(root, 'libs/mutants/src/main.ts'), '--check'],
  'proto lint': [bin('@bufbuild/buf/bin/buf'), 'lint', 'proto'],
  bundles: [join(root, 'tools/bundle.mjs'), '--check'],
};

// oxlint looks for its type checker on PATH, and buf for its plugins.
const env = { ...process.env, PATH: [dirname(process.execPath), bin('.bin'), process.env.PATH].join(delimiter) };

let failedCount = 0;
for (const [name, args] of Object.entries(steps)) {
  const startedAt = performance.now();
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  if (status !== 0) failedCount += 1;
  console.log(`check: ${name.padEnd(16)} ${status === 0 ? 'ok    ' : 'failed'} ${seconds} s`);
}
const stepCount = Object.keys(steps).length;
console.log(failedCount === 0 ? `check: all ${stepCount} steps ok` : `check: ${failedCount} of ${stepCount} steps failed`);
process.exitCode = failedCount === 0 ? 0 : 1;
