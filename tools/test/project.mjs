// Runs the tests of one project for nx: `node tools/test/project.mjs NAME FOLDER` writes reports/NAME.json.
// Two `npm test` at once share that file, so it is put in place whole; and an old one must never speak for a run that died.
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../start/root.mjs';

const [name, folder] = process.argv.slice(2);
const report = join(root, 'reports', `${name}.json`);
const draft = join(root, 'reports', `.${name}-${process.pid}.json`);

mkdirSync(join(root, 'reports'), { recursive: true });
process.on('exit', () => {
  try {
    renameSync(draft, report);
  } catch {
    rmSync(report, { force: true });
  }
});

// nx sets the one whatever the caller thinks, and then every Node that a test starts warns that both are set.
if (process.env.NO_COLOR !== undefined) delete process.env.FORCE_COLOR;
process.chdir(root);
// Not `--dir`, which moves the include patterns and then finds nothing.
process.argv.splice(2, 2, 'run', folder, '--reporter=default', '--reporter=json', `--outputFile.json=${draft}`);
await import(join(root, 'node_modules/vitest/vitest.mjs'));
