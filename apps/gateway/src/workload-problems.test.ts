import { expect, test } from 'vitest';
import {
  createWorkloadProblems,
  PROBLEM_LENGTH_MAX,
  PROBLEMS_HELD_MAX,
  PROBLEMS_SHOWN_MAX,
  type WorkloadProblems,
} from './workload-problems.ts';

const all = (): boolean => true;
const note = (problems: WorkloadProblems, name: string, problem: string): void => {
  const [workspace, sandbox] = name.split('/');
  problems.note(name, { workspace, sandbox } as never, problem);
};
const shown = (problems: WorkloadProblems, maySee: (workspace: string) => boolean = all): string[] =>
  problems.shown(maySee).problems.map(({ workspace, sandbox, problem }) => `${workspace}/${sandbox}: ${problem}`);

const rows: [title: string, act: (problems: WorkloadProblems) => void, want: string[]][] = [
  ['none', () => undefined, []],
  ['one', (problems) => note(problems, 'a/x', 'p'), ['a/x: p']],
  [
    'by name, whichever came first',
    (problems) => ['b/x', 'a/y', 'a/x'].map((name) => note(problems, name, 'p')),
    ['a/x: p', 'a/y: p', 'b/x: p'],
  ],
  ['as it is now', (problems) => ['p', 'q'].map((problem) => note(problems, 'a/x', problem)), ['a/x: q']],
  ['not one that was mended', (problems) => ['p', ''].map((problem) => note(problems, 'a/x', problem)), []],
  [
    'not one that nobody tells of any more',
    (problems) => {
      for (const name of ['a/x', 'b/x']) note(problems, name, 'p');
      problems.keep((name) => name === 'b/x');
    },
    ['b/x: p'],
  ],
  [
    'no more of one than that',
    (problems) => note(problems, 'a/x', 'p'.repeat(9_999)),
    [`a/x: ${'p'.repeat(PROBLEM_LENGTH_MAX)}`],
  ],
];
test.each(rows)('%s', (_title, act, want) => {
  const problems = createWorkloadProblems();
  act(problems);
  expect(shown(problems)).toEqual(want);
});

test('of workspaces that one may see', () => {
  const problems = createWorkloadProblems();
  for (const name of ['a/x', 'b/x']) note(problems, name, 'p');
  expect(shown(problems, (workspace) => workspace === 'b')).toEqual(['b/x: p']);
  expect(problems.shown((workspace) => workspace === 'b').problemCount).toBe(1);
});
test('of too many the first are shown, all are counted, and no more than a bound are held', () => {
  const problems = createWorkloadProblems();
  for (let n = 0; n < PROBLEMS_HELD_MAX + 5; n += 1) note(problems, `a/${String(n).padStart(6, '0')}`, 'p');
  note(problems, 'a/000000', 'changed');
  const { problems: first, problemCount } = problems.shown(all);
  expect([first.length, first[0]?.problem, problemCount]).toEqual([PROBLEMS_SHOWN_MAX, 'changed', PROBLEMS_HELD_MAX]);
});
