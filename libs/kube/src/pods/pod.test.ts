import { expect, test } from 'vitest';
import { declares, pod } from '../testing/pods-at-hand.ts';
import { roleOf } from './declared.ts';
import { TEXT_LENGTH_MAX } from './pod.ts';

const long = 'x'.repeat(TEXT_LENGTH_MAX + 1);

test('nothing is held of a Pod but what it can say, however much that is', () => {
  const { annotations, labels } = pod('u1', {
    labels: { workspace: 'team', other: 'x' },
    annotations: { services: '80', notes: long, constructor: 'x', 'sallyport.dev/services': '81' },
  });
  expect([labels, annotations]).toEqual([{ workspace: 'team' }, { services: '80' }]);
});
test('texts that are too long are one text, and held once', () => {
  const shape = { annotations: { services: long, host: `${long}y`, mode: long } };
  const [first, second] = [pod('u1', shape).annotations, pod('u2', shape).annotations];
  expect(new Set([...Object.values(first), ...Object.values(second)]).size).toBe(1);
});

const rows: [name: string, text: string, want: object][] = [
  ['services', long, { services: [], problem: expect.stringMatching(/longer than 16384/) }],
  ['host', long, { services: [], problem: expect.stringMatching(/longer than 16384/) }],
  ['mode', long, { services: [], problem: expect.stringMatching(/neither/) }],
  ['pool', long, { services: [], problem: expect.stringMatching(/no id/) }],
  ['boundary', long, { services: [], problem: expect.stringMatching(/no port/) }],
  ['services', 'we\u0000b=80', { services: [], problem: expect.stringMatching(/^[ -~]+$/) }],
  ['services', '\u202ebew=80', { services: [] }],
  ['services', 'ｗｅｂ=80', { services: [] }],
  ['services', `${'{"a":'.repeat(3_000)}80`, { services: [] }],
  ['services', ','.repeat(TEXT_LENGTH_MAX), { services: [], problem: '' }],
  ['services', '=80,'.repeat(4_000), { services: [] }],
  ['services', 'web=８０', { services: [] }],
  ['host', 'a\r\nX-Evil: 1', { services: [], problem: expect.stringMatching(/no such policy/) }],
];
test.each(rows)('%s as hostile as they come serve nothing and say so in one line', (name, text, want) => {
  const role = roleOf(pod('u1', declares('team/demo', 'web=8080', { [name]: text })), { workspaceIsNamespace: false });
  expect(role).toMatchObject({ kind: 'workload', declared: want });
  if (role.kind === 'workload') expect(role.declared.problem).not.toMatch(/[\n\r]/);
  if (role.kind === 'workload') expect(role.declared.problem.length).toBeLessThan(2_000);
});
