import { expect, test } from 'vitest';
import { closingLine, countReport, readReport, sum } from './report.mjs';

const passed = { status: 'passed', fullName: 'passes' };
const failed = { status: 'failed', fullName: 'fails' };
const skipped = { status: 'skipped', fullName: 'needs etcd' };

/** As vitest writes it, from the files' tests. */
function reportOf(files) {
  const tests = files.flatMap(({ tests }) => tests);
  const count = (status) => tests.filter((test) => test.status === status).length;
  return {
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    success: files.every(({ broken, tests }) => broken === undefined && !tests.includes(failed)),
    testResults: files.map(({ broken, tests }) => ({
      name: 'a.test.ts',
      status: broken !== undefined || tests.includes(failed) ? 'failed' : 'passed',
      message: broken ?? '',
      assertionResults: tests,
    })),
  };
}

const rows = [
  ['counts what passed', [{ tests: [passed, passed] }], '2 passed, 0 failed', true],
  ['counts what failed', [{ tests: [passed, failed] }], '1 passed, 1 failed', false],
  ['counts what was skipped', [{ tests: [passed, skipped] }], '1 passed, 0 failed, 1 skipped', true],
  ['counts a file that does not load', [{ tests: [passed] }, { broken: 'SyntaxError', tests: [] }], '1 passed, 1 failed', false],
  [
    'counts a file whose set-up fails',
    [{ tests: [passed] }, { broken: 'beforeAll', tests: [skipped] }],
    '1 passed, 1 failed',
    false,
  ],
  ['counts nothing at all as a failure', [], '0 passed, 1 failed', false],
  ['counts only skipped tests as a failure', [{ tests: [skipped] }], '0 passed, 1 failed, 1 skipped', false],
];
test.each(rows)('%s', (_title, files, line, ok) => {
  const total = sum([countReport(reportOf(files), 'x')], { code: 0, skipsFail: false });
  expect(closingLine(total)).toEqual({ line, ok });
});

test('under SALLYPORT_REQUIRE=all a skipped test has failed, by name', () => {
  const total = sum([countReport(reportOf([{ tests: [passed, skipped] }]), 'x')], { code: 0, skipsFail: true });
  expect(closingLine(total)).toEqual({ line: '1 passed, 1 failed', ok: false });
  expect(total.notes).toEqual(['failed: skipped under SALLYPORT_REQUIRE=all: needs etcd']);
});

test('an error outside of every test is a failure', () => {
  const report = { ...reportOf([{ tests: [passed] }]), success: false };
  expect(closingLine(sum([countReport(report, 'x')], { code: 1, skipsFail: false })).line).toBe('1 passed, 1 failed');
});

test('a runner that fails without saying of what is one failure', () => {
  const total = sum([countReport(reportOf([{ tests: [passed] }]), 'x')], { code: 130, skipsFail: false });
  expect(closingLine(total).line).toBe('1 passed, 1 failed');
});

test('a project whose report is missing has failed', () => {
  expect(readReport('/nowhere/x.json', 'project x')).toMatchObject({ passed: 0, failed: 1 });
});
