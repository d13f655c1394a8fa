import { isId } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import type { PodShape } from '../testing/kube-api/pods.ts';
import { pod } from '../testing/pods-at-hand.ts';
import { dedicatedPool, roleOf } from './declared.ts';

const role = (shape: PodShape, workspaceIsNamespace = false) => roleOf(pod('u1', shape), { workspaceIsNamespace });
const named = { workspace: 'team', sandbox: 'demo' };
const web = { service: 'web', port: 8080, policy: { host: { kind: 'public' }, origin: 'keep', cookies: 'isolate' } };

describe('a Pod is', () => {
  const rows: [title: string, shape: PodShape, want: object][] = [
    ['nothing to us, without our labels', {}, { kind: 'none' }],
    [
      'a workload',
      { labels: named, annotations: { services: 'web=8080' } },
      { kind: 'workload', declared: { ...named, services: [web], mode: undefined, problem: '' } },
    ],
    [
      'a workload by annotations alone',
      { annotations: { ...named, services: 'web=8080' } },
      { kind: 'workload', declared: named },
    ],
    ['a workload without services yet', { labels: named }, { kind: 'workload', declared: { services: [], problem: '' } }],
    [
      'a workload named by the Sandbox that made it',
      { labels: { workspace: 'team' }, owner: 'boxed' },
      { kind: 'workload', declared: { sandbox: 'boxed' } },
    ],
    ['a workload whose own label beats that', { labels: named, owner: 'boxed' }, { kind: 'workload', declared: named }],
    [
      'a dedicated workload',
      { labels: { ...named, mode: 'dedicated' } },
      { kind: 'workload', declared: { mode: 'dedicated', poolId: undefined } },
    ],
    [
      'a workload for a pool',
      { labels: { ...named, pool: 'blue' } },
      { kind: 'workload', declared: { mode: 'shared', poolId: 'blue' } },
    ],
    ['a supervisor of a pool', { labels: { pool: 'blue' } }, { kind: 'supervisor', poolId: 'blue', sandbox: undefined }],
    [
      'a supervisor of one sandbox',
      { annotations: { supervises: 'team/demo' } },
      { kind: 'supervisor', poolId: 'dedicated:team:demo', sandbox: named },
    ],
    [
      'a supervisor of one sandbox, by a label',
      { labels: { supervises: 'team.demo' } },
      { kind: 'supervisor', poolId: 'dedicated:team:demo' },
    ],
    [
      'unusable: no workspace',
      { labels: { sandbox: 'demo' } },
      { kind: 'unusable', problem: expect.stringMatching(/workspace is missing/) },
    ],
    [
      'unusable: no sandbox, and nobody owns it',
      { labels: { workspace: 'team' } },
      { kind: 'unusable', problem: expect.stringMatching(/sandbox is missing/) },
    ],
    ['unusable: services of nobody', { annotations: { services: 'web=1' } }, { kind: 'unusable' }],
    [
      'unusable: a name with two hyphens',
      { labels: { ...named, sandbox: 'de--mo' } },
      { kind: 'unusable', problem: expect.stringMatching(/--/) },
    ],
    ['unusable: a name in capitals', { labels: { ...named, workspace: 'Team' } }, { kind: 'unusable' }],
    [
      'unusable: label and annotation differ',
      { labels: named, annotations: { sandbox: 'other' } },
      { kind: 'unusable', problem: expect.stringMatching(/different things/) },
    ],
    ['unusable: workload and supervisor of another', { labels: { ...named, supervises: 'team.other' } }, { kind: 'unusable' }],
    [
      'unusable: supervisor of a pool and of one sandbox',
      { labels: { pool: 'blue', supervises: 'team.demo' } },
      { kind: 'unusable' },
    ],
    [
      'unusable: a supervisor that names a dedicated pool',
      { annotations: { pool: 'dedicated:team:demo' } },
      { kind: 'unusable' },
    ],
    ['unusable: a pool that is no id', { annotations: { pool: 'a b' } }, { kind: 'unusable' }],
    ['unusable: supervises half a name', { annotations: { supervises: 'team' } }, { kind: 'unusable' }],
  ];
  test.each(rows)('%s', (_title, shape, want) => expect(role(shape)).toMatchObject(want));
});

describe('of a workload is followed', () => {
  const rows: [title: string, annotations: Record<string, string>, services: string[], problem: RegExp][] = [
    ['every service', { services: 'web=8080, api=9000' }, ['web:8080', 'api:9000'], /^$/],
    ['a bare port: the service without a name', { services: '3000' }, [':3000'], /^$/],
    ['what is well, beside what is not', { services: 'web=8080,api=90000' }, ['web:8080'], /api=90000.*65535/],
    ['nothing of port 0', { services: 'web=0' }, [], /port 0/],
    ['nothing of a word', { services: 'web=http' }, [], /not name=port/],
    ['nothing of a bad name', { services: 'We_b=80' }, [], /lower-case/],
    ['neither of two of one name', { services: 'web=1,web=2,api=3' }, ['api:3'], /web twice/],
    [
      'no more than 64',
      { services: Array.from({ length: 65 }, (_, n) => `s${n}=80`).join() },
      Array.from({ length: 64 }, (_, n) => `s${n}:80`),
      /more than 64/,
    ],
    ['nothing with a policy that is none', { services: 'web=80', cookies: 'pas' }, [], /nothing is served: .*cookies/],
    [
      'nothing with a policy for a service that is not there',
      { services: 'web=80', host: 'api=loopback' },
      [],
      /no service of this Pod/,
    ],
    ['nothing with two policies for one', { services: 'web=80', origin: 'web=keep,web=strip' }, [], /has two/],
    ['nothing with a host that holds a space', { services: 'web=80', host: 'a b' }, [], /no such policy/],
    ['nothing with a boundary on no port', { services: 'web=80', boundary: 'https' }, [], /boundary "https" is no port/],
    ['nothing with a mode that is none', { services: 'web=80', mode: 'both' }, [], /neither dedicated nor shared/],
    ['nothing with a pool in a dedicated mode', { services: 'web=80', mode: 'dedicated', pool: 'blue' }, [], /pool of its own/],
    [
      'nothing with the pool of a dedicated sandbox',
      { services: 'web=80', pool: 'dedicated:team:x' },
      [],
      /no id of a shared pool/,
    ],
  ];
  test.each(rows)('%s', (_title, annotations, services, problem) => {
    const read = role({ labels: named, annotations });
    expect(read).toMatchObject({ kind: 'workload', declared: { problem: expect.stringMatching(problem) } });
    if (read.kind === 'workload')
      expect(read.declared.services.map(({ service, port }) => `${service}:${port}`)).toEqual(services);
  });
  test('its policies, for all services or for each', () => {
    const annotations = {
      services: 'web=80,api=81',
      host: 'web=loopback,api=app.internal:81',
      origin: 'strip',
      cookies: 'api=pass',
    };
    expect(role({ labels: named, annotations })).toMatchObject({
      declared: {
        services: [
          { policy: { host: { kind: 'loopback' }, origin: 'strip', cookies: 'isolate' } },
          { policy: { host: { kind: 'value', value: 'app.internal:81' }, origin: 'strip', cookies: 'pass' } },
        ],
      },
    });
  });
});

describe('where a workspace is a namespace', () => {
  test('a Pod need not say it', () =>
    expect(role({ namespace: 'team', labels: { sandbox: 'demo' } }, true)).toMatchObject({ declared: named }));
  test('and cannot say another', () =>
    expect(role({ namespace: 'other', labels: named }, true)).toMatchObject({
      kind: 'unusable',
      problem: expect.stringMatching(/namespace, other/),
    }));
});

test('the pool of a dedicated sandbox is an id, and another one for other names, however long they are', () => {
  const long = { workspace: 'a'.repeat(63), sandbox: 'b'.repeat(63) } as never;
  const other = { workspace: 'a'.repeat(63), sandbox: `${'b'.repeat(62)}c` } as never;
  expect(dedicatedPool({ workspace: 'team', sandbox: 'demo' } as never)).toBe('dedicated:team:demo');
  expect(isId(dedicatedPool(long))).toBe(true);
  expect(dedicatedPool(long)).not.toBe(dedicatedPool(other));
});
