// `npm run e2e`: the long form, real processes with real faults, one file after the other; arguments are vitest's. `--scale` measures
// thousands of sandboxes instead. Ends with every figure and with one line, `N passed, N failed[, N skipped]`.
// `--write-figures` also puts the figures into docs/reliability.md. `--kubeconfig FILE` runs the cases for Kubernetes on a cluster of
// yours; how, and what else it takes: docs/kubernetes.md.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { figuresOf, tableOf, writeFigures } from './e2e/figures.mjs';
import { root } from './start/root.mjs';
import { closingLine, readReport, sum } from './test/report.mjs';
import { wrongOption } from './test/vitest-options.mjs';

const OWN = ['--scale', '--write-figures'];
/** Each with a value, and handed on in the environment: vitest knows none of them. */
const OF_CLUSTER = ['kubeconfig', 'namespace', 'images', 'etcd-image', 'node-image'];
const args = process.argv.slice(2);
const env = { ...process.env };
for (const name of OF_CLUSTER) {
  const at = args.findIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  if (at < 0) continue;
  const [option, joined] = args[at].split(/=(.*)/s);
  const value = joined ?? args[at + 1];
  if (value === undefined) {
    console.error(`${option} needs a value`);
    process.exit(64);
  }
  args.splice(at, joined === undefined ? 2 : 1);
  env[`SALLYPORT_E2E_${name.toUpperCase().replaceAll('-', '_')}`] = value;
}
const asked = (option) => args.includes(option);
const ofVitest = args.filter((arg) => !OWN.includes(arg));
const wrong = wrongOption(ofVitest);
if (wrong !== undefined) {
  console.error(`npm run e2e: ${wrong}; what it takes: npm run e2e -- --help`);
  process.exit(2);
}
const config = asked('--scale') ? 'apps/e2e/src/testing/scale.config.ts' : 'apps/e2e/src/testing/e2e.config.ts';
const figuresFile = join(root, 'reports/reliability.jsonl');
const folder = mkdtempSync(join(tmpdir(), 'sallyport-e2e-'));

try {
  rmSync(figuresFile, { force: true });
  const report = join(folder, 'report.json');
  const options = ['run', '--config', config, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const code = spawnSync(process.execPath, [vitest, ...options, ...ofVitest], { cwd: root, stdio: 'inherit', env }).status ?? 1;
  const ended = sum([readReport(report, 'vitest')], { code, skipsFail: process.env.SALLYPORT_REQUIRE === 'all' });
  const figures = figuresOf(figuresFile);
  if (figures.length > 0) process.stdout.write(`\n${tableOf(figures)}\n`);
  if (asked('--write-figures')) writeFigures(join(root, 'docs/reliability.md'), figures);
  const { line, ok } = closingLine(ended);
  process.stdout.write(`\n${[...ended.notes, line].join('\n')}\n`);
  process.exitCode = ok ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
