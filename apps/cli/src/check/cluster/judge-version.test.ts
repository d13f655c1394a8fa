import { expect, test } from 'vitest';
import { judgeVersion } from './judge-version.ts';

const of = (minor: string, major = '1') => ({ major, minor, gitVersion: `v${major}.${minor}.3` });
const rows: [answer: unknown, state: string, detail: RegExp][] = [
  [of('27'), 'holds', /^https:\/\/k is Kubernetes v1\.27\.3$/],
  [of('34+'), 'holds', /v1\.34\+/],
  [of('0', '2'), 'holds', /v2\.0/],
  [of('26'), 'fails', /v1\.26\.3$/],
  [of('26+'), 'fails', /v1\.26\+/],
  [of('9'), 'fails', /v1\.9\.3$/],
  [{}, 'fails', /is no Kubernetes API server$/],
  [{ version: '1' }, 'fails', /is no Kubernetes API server$/],
  ['x', 'fails', /is no Kubernetes API server$/],
  [undefined, 'fails', /is no Kubernetes API server$/],
];
test.each(rows)('%j: %s', (answer, state, detail) =>
  expect(judgeVersion(answer, 'https://k')).toMatchObject({ state, detail: expect.stringMatching(detail) }),
);
