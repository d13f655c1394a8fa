import { DEFAULT_POLICY } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import { parseStaticState, readStaticFile } from './static-file.ts';

const workload = { workspace: 'team', sandbox: 'demo', runtimeId: 'r1' };
const supervisor = { uid: 'sup-1', pool: 'p1', address: '10.0.0.7', credentialSha256: 'a'.repeat(64) };
const parse = (value: unknown) => parseStaticState(JSON.stringify(value));

test('a whole file is read', () => {
  expect(
    parse({ workloads: [{ ...workload, ready: false, services: [{ service: 'web', port: 80 }] }], supervisors: [supervisor] }),
  ).toEqual({
    ok: true,
    value: {
      workloads: [{ ...workload, ready: false, services: [{ service: 'web', port: 80, policy: DEFAULT_POLICY }] }],
      supervisors: [{ supervisorUid: 'sup-1', poolId: 'p1', address: '10.0.0.7', credentialHash: 'a'.repeat(64) }],
    },
  });
});
test('what is left out has its default', () => {
  expect(parse({ workloads: [workload] })).toMatchObject({
    value: { workloads: [{ ready: true, services: [] }], supervisors: [] },
  });
});

test('the boundary of a workload is read', () => {
  const boundaryAddress = 'demo.sandboxes.svc:9443';
  expect(parse({ workloads: [{ ...workload, boundaryAddress }] })).toMatchObject({ value: { workloads: [{ boundaryAddress }] } });
});

describe('is refused whole', () => {
  const rows: [title: string, text: string, why: RegExp][] = [
    ['no JSON', '{', /not JSON/],
    ['a list', '[]', /the file is not an object/],
    ['workloads that are no list', '{"workloads": {}}', /workloads is not a list/],
    ['a workload that is a text', '{"workloads": ["x"]}', /workloads is not an object/],
    ['a workload without a life', JSON.stringify({ workloads: [{ ...workload, runtimeId: undefined }] }), /runtimeId/],
    ['a workload of a bad name', JSON.stringify({ workloads: [{ ...workload, sandbox: 'De--mo' }] }), /sandbox/],
    ['a boundary without a port', JSON.stringify({ workloads: [{ ...workload, boundaryAddress: 'host' }] }), /boundary_address/],
    ['one workload twice', JSON.stringify({ workloads: [workload, workload] }), /"team\/demo" twice/],
    ['a service on port 0', JSON.stringify({ workloads: [{ ...workload, services: [{ service: '', port: 0 }] }] }), /port/],
    ['a supervisor at a name', JSON.stringify({ supervisors: [{ ...supervisor, address: 'host' }] }), /address/],
    [
      'a supervisor with a plain credential',
      JSON.stringify({ supervisors: [{ ...supervisor, credentialSha256: 'secret' }] }),
      /SHA-256/,
    ],
    ['one credential for two', JSON.stringify({ supervisors: [supervisor, { ...supervisor, uid: 'sup-2' }] }), /twice/],
  ];
  test.each(rows)('%s', (_title, text, why) =>
    expect(parseStaticState(text)).toEqual({ ok: false, error: expect.stringMatching(why) }),
  );
  test('a file that is not there', async () => {
    expect(await readStaticFile('/nowhere/static.json')).toEqual({ ok: false, error: expect.stringMatching(/ENOENT/) });
  });
});
