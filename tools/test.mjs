// `npm test`: every project's tests through nx, which keeps the results of what has not changed. `npm test -- libs/http1` or any
// other argument of vitest's: those tests at once, without nx. Both end with one line, `N passed, N failed[, N skipped]`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './start/root.mjs';
import { testedProjects } from './test/projects.mjs';
import { closingLine, readReport, sum } from './test/report.mjs';
import { wrongOption } from './test/vitest-options.mjs';

const args = process.argv.slice(2);
const ofNx = args.filter((arg) => arg === '--skip-nx-cache');
const ofVitest = args.filter((arg) => !ofNx.includes(arg));
const skipsFail = process.env.SALLYPORT_REQUIRE === 'all';

const wrong = wrongOption(ofVitest);
if (wrong !== undefined) {
  console.error(`npm test: ${wrong}; what it takes: npm test -- --help`);
  process.exit(2);
}
const ended = ofVitest.length === 0 ? runAll() : runSome();
const { line, ok } = closingLine(ended);
process.stdout.write(`\n${[...ended.notes, line].join('\n')}\n`);
process.exitCode = ok ? 0 : 1;

function runAll() {
  const code = run(join(root, 'tools/nx.mjs'), ['run-many', '-t', 'test', '--outputStyle=static', ...ofNx]);
  // By the projects there are now: a report of one that is gone may still lie there.
  const reports = testedProjects().map(({ name }) => readReport(join(root, 'reports', `${name}.json`), `project ${name}`));
  return sum(reports, { code, skipsFail });
}

function runSome() {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-test-'));
  try {
    const file = join(folder, 'report.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const code = run(join(root, 'node_modules/vitest/vitest.mjs'), ['run', ...ofVitest, ...reporters]);
    // vitest lists every test that a name pattern leaves out as skipped: that is what was asked for.
    const byName = ofVitest.some((arg) => /^(-t|--testNamePattern)(=|$)/.test(arg));
    return sum([readReport(file, 'vitest')], { code, skipsFail: skipsFail && !byName, namesSkips: !byName });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(file, args) {
  return spawnSync(process.execPath, [file, ...args], { cwd: root, stdio: 'inherit' }).status ?? 1;
}
