import { readFileSync } from 'node:fs';

/** What one vitest JSON report says: counts, the names of skipped tests, and notes about failures that are no test's. */
export function countReport({ numPassedTests, numFailedTests, success, testResults }, title) {
  // A file that does not load has no tests, and one whose set-up fails has only skipped ones: each is a failure all the same.
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some(isFailed),
  );
  const skipped = testResults.flatMap(({ status, assertionResults }) =>
    assertionResults.filter((test) => isSkipped(test) && status !== 'failed').map((test) => test.fullName.trim()),
  );
  const notes = brokenFiles.map(({ name, message }) => `failed: ${name}: ${firstLine(message)}`);
  let failed = numFailedTests + brokenFiles.length;
  // An error that belongs to no test, such as a rejection that nobody awaits.
  if (!success && failed === 0) {
    failed = 1;
    notes.push(`failed: ${title}: an error outside of every test (see above)`);
  }
  return { passed: numPassedTests, failed, skipped, notes };
}

/** A report that is not there is a failure, never nothing. */
export function readReport(file, title) {
  try {
    return countReport(JSON.parse(readFileSync(file, 'utf8')), title);
  } catch (error) {
    return { passed: 0, failed: 1, skipped: [], notes: [`failed: ${title}: no report of its tests (${error.message})`] };
  }
}

export function sum(counts, { code, skipsFail, namesSkips = true }) {
  const total = { passed: 0, failed: 0, skipped: 0, notes: [] };
  for (const { passed, failed, skipped, notes } of counts) {
    total.passed += passed;
    total.failed += failed + (skipsFail ? skipped.length : 0);
    total.skipped += skipsFail ? 0 : skipped.length;
    total.notes.push(...notes);
    if (skipsFail) total.notes.push(...skipped.map((name) => `failed: skipped under SALLYPORT_REQUIRE=all: ${name}`));
    else if (namesSkips) total.notes.push(...skipped.map((name) => `skipped: ${name}`));
  }
  if (total.failed === 0 && code !== 0) {
    total.failed = 1;
    total.notes.push(`failed: the test runner ended with exit code ${code} (why: above)`);
  }
  if (total.failed === 0 && total.passed === 0) {
    total.failed = 1;
    total.notes.push('failed: no test ran');
  }
  return total;
}

export function closingLine({ passed, failed, skipped }) {
  const parts = [`${passed} passed`, `${failed} failed`, ...(skipped > 0 ? [`${skipped} skipped`] : [])];
  return { line: parts.join(', '), ok: failed === 0 };
}

const isFailed = ({ status }) => status === 'failed';
const isSkipped = ({ status }) => status !== 'failed' && status !== 'passed';
const firstLine = (text) => (text ?? '').trim().split('\n')[0];
