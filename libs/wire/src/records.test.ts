import type { Installation, Ownership } from '@sallyport/authority';
import type { Configuration } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import * as pb from './gen/sallyport/store/v1/records.ts';
import { ServicePolicy } from './gen/sallyport/supervisor/v1/supervisor.ts';
import * as records from './index.ts';
import { configuration, installation } from './testing/values.ts';

const opId = 'op-1';
const plainSandbox: pb.SandboxRecord = {
  opId,
  workspace: 'team',
  sandbox: 'demo',
  mode: 1,
  poolId: 'p',
  runtimeId: 'r',
  boundaryAddress: '',
};

describe('what is written is read', () => {
  const rows: [title: string, written: Uint8Array, decode: (bytes: Uint8Array) => unknown, want: unknown][] = [
    row('generation', records.encodeGeneration, records.decodeGeneration, 'g1' as never),
    row('gateway', records.encodeGateway, records.decodeGateway, { address: '10.0.0.1:8444', version: '0.1.0' }),
    row('member', records.encodeMember, records.decodeMember, {
      supervisorUid: 'uid-1',
      ready: true,
      draining: false,
      appPort: 0,
      capacity: 1_000,
      gatewayId: 'gw1' as never,
      gatewayEpoch: (2n ** 63n) as never,
      joinId: 'j1' as never,
    }),
    row('sandbox', records.encodeSandbox, records.decodeSandbox, {
      workspace: 'team' as never,
      sandbox: 'demo' as never,
      mode: 'shared',
      poolId: 'p1' as never,
      runtimeId: 'r1' as never,
    }),
    row('sandbox with a boundary', records.encodeSandbox, records.decodeSandbox, {
      workspace: 'team' as never,
      sandbox: 'demo' as never,
      mode: 'shared',
      poolId: 'p1' as never,
      runtimeId: 'r1' as never,
      boundaryAddress: '[fd00::7]:9443',
    }),
    row('name', records.encodeName, records.decodeName, 'sb1' as never),
    row('configuration', records.encodeConfiguration, records.decodeConfiguration, configuration),
    row('configuration that a workload has a part in', records.encodeConfiguration, records.decodeConfiguration, {
      ...configuration,
      followed: { registered: true, services: ['web' as never] },
    }),
    row('configuration of nothing', records.encodeConfiguration, records.decodeConfiguration, { ...configuration, services: [] }),
    row('credential', records.encodeCredential, records.decodeCredential, 7n as never),
    row('session', records.encodeSession, records.decodeSession, {
      gatewayId: 'gw1' as never,
      gatewayEpoch: 9n as never,
      sessionId: 's1' as never,
      runtimeId: 'r1' as never,
      credentialEpoch: 7n as never,
    }),
    row('session of a member that the driver knows', records.encodeSession, records.decodeSession, {
      gatewayId: 'gw1' as never,
      gatewayEpoch: 9n as never,
      sessionId: 's1' as never,
      runtimeId: 'r1' as never,
      credentialEpoch: 7n as never,
      supervisorUid: 'pod-1',
    }),
    ...(
      [
        { kind: 'released', epoch: 1n },
        { kind: 'offered', epoch: 2n, to: 'm1' },
        { kind: 'owned', epoch: 2n ** 64n - 1n, by: 'm1' },
        { kind: 'fencing', epoch: 4n, from: 'm1', ownedEpoch: 3n, runtimeId: 'r1' },
      ] as Ownership[]
    ).map((ownership) => row(`owner, ${ownership.kind}`, records.encodeOwnership, records.decodeOwnership, ownership)),
    row('installation', records.encodeInstallation, records.decodeInstallation, installation),
    row('renewals', records.encodeRenewals, records.decodeRenewals, {
      gatewayEpoch: 9n as never,
      asOf: 100n as never,
      renewals: [{ sessionId: 's1' as never, reportSequence: 5, remainingMs: 14_000 }],
    }),
    row('an empty renewal', records.encodeRenewals, records.decodeRenewals, {
      gatewayEpoch: 9n as never,
      asOf: 100n as never,
      renewals: [],
    }),
    row('reader', records.encodeReader, records.decodeReader, 12),
    row('grant', records.encodeGrant, records.decodeGrant, { workspaces: ['team' as never], grantEpoch: 1n }),
  ];
  test.each(rows)('%s', (_title, bytes, decode, want) =>
    expect(decode(bytes)).toEqual({ ok: true, value: { record: want, opId } }),
  );
});

function row<T>(
  title: string,
  encode: (record: T, opId: string) => Uint8Array,
  decode: (bytes: Uint8Array) => unknown,
  record: T,
): [string, Uint8Array, (bytes: Uint8Array) => unknown, unknown] {
  return [title, encode(record, opId), decode, record];
}

const [service] = configuration.services as [Configuration['services'][number]];
const withService = (change: object): Uint8Array =>
  records.encodeConfiguration({ ...configuration, services: [{ ...service, ...change }] as never }, opId);
const withInstallation = (change: Partial<Record<keyof Installation, unknown>>): Uint8Array =>
  records.encodeInstallation({ ...installation, ...change } as never, opId);

describe('what is not such a record is a problem, never a throw', () => {
  const rows: [title: string, bytes: Uint8Array, decode: (bytes: Uint8Array) => { ok: boolean }, problem: RegExp][] = [
    ['bytes of something else', Uint8Array.of(255, 255, 255), records.decodeSandbox, /not such a message/],
    ['a message cut short', records.encodeName('sb1' as never, opId).slice(0, -1), records.decodeName, /not such a message/],
    ['nothing at all', new Uint8Array(), records.decodeOwnership, /owner_epoch is missing/],
    ['no operation', records.encodeName('sb1' as never, ''), records.decodeName, /op_id/],
    ['an id with a slash', records.encodeName('a/b' as never, opId), records.decodeName, /sandbox_id/],
    ['an id that is too long', records.encodeName('a'.repeat(129) as never, opId), records.decodeName, /sandbox_id/],
    ['epoch 0', records.encodeCredential(0n as never, opId), records.decodeCredential, /credential_epoch is missing/],
    [
      'an owner without a state',
      pb.OwnerRecord.encode({ opId, ownerEpoch: 1n, state: undefined }).finish(),
      records.decodeOwnership,
      /state is missing/,
    ],
    [
      'a fencing epoch that did not rise',
      records.encodeOwnership({ kind: 'fencing', epoch: 3n, from: 'm1', ownedEpoch: 3n, runtimeId: 'r1' } as never, opId),
      records.decodeOwnership,
      /owned_epoch/,
    ],
    ['an unknown mode', pb.SandboxRecord.encode({ ...plainSandbox, mode: 9 as never }).finish(), records.decodeSandbox, /mode/],
    [
      'a workspace that is no label',
      pb.SandboxRecord.encode({ ...plainSandbox, workspace: 'Team' }).finish(),
      records.decodeSandbox,
      /workspace/,
    ],
    [
      'a boundary at no port',
      pb.SandboxRecord.encode({ ...plainSandbox, boundaryAddress: 'demo' }).finish(),
      records.decodeSandbox,
      /boundary_address/,
    ],
    ['a service on port 0', withService({ port: 0 }), records.decodeConfiguration, /port/],
    ['a service on port 65536', withService({ port: 65_536 }), records.decodeConfiguration, /port/],
    ['a host in upper case', withService({ host: 'A.apps.test' }), records.decodeConfiguration, /host/],
    ['a host with a trailing dot', withService({ host: 'a.apps.test.' }), records.decodeConfiguration, /host/],
    [
      'a Host value that breaks the head',
      withService({ policy: { ...service.policy, host: { kind: 'value', value: 'a\r\nb' } } }),
      records.decodeConfiguration,
      /policy\.host is not loopback, nor a host/,
    ],
    ['an unknown origin policy', unknownOrigin(), records.decodeConfiguration, /origin/],
    [
      'two services of one name',
      records.encodeConfiguration({ ...configuration, services: [service, { ...service, host: 'b.apps.test' as never }] }, opId),
      records.decodeConfiguration,
      /service twice/,
    ],
    [
      'two services of one host',
      records.encodeConfiguration({ ...configuration, services: [service, { ...service, service: 'other' as never }] }, opId),
      records.decodeConfiguration,
      /host twice/,
    ],
    [
      '65 services',
      records.encodeConfiguration({ ...configuration, services: many(65) }, opId),
      records.decodeConfiguration,
      /at most 64/,
    ],
    [
      'a hash that is none',
      records.encodeConfiguration({ ...configuration, hash: 'abc' }, opId),
      records.decodeConfiguration,
      /hash/,
    ],
    [
      'a followed service of a bad name',
      records.encodeConfiguration({ ...configuration, followed: { registered: true, services: ['We--b' as never] } }, opId),
      records.decodeConfiguration,
      /followed.services/,
    ],
    [
      'no configuration',
      pb.ConfigurationRecord.encode({ opId, configuration: undefined, followed: undefined }).finish(),
      records.decodeConfiguration,
      /configuration is missing/,
    ],
    [
      'an endpoint that is a name',
      withInstallation({ endpoint: { ...installation.endpoint, address: 'evil.example' } }),
      records.decodeInstallation,
      /address/,
    ],
    [
      'an installation without a fence',
      pb.InstallationRecord.encode({ ...pb.InstallationRecord.decode(withInstallation({})), fence: undefined }).finish(),
      records.decodeInstallation,
      /fence is missing/,
    ],
    [
      'a fence with a hole',
      withInstallation({ fence: { ...installation.fence, session: 0n } }),
      records.decodeInstallation,
      /fence\.session/,
    ],
    [
      'evidence that outlives a lease',
      withInstallation({ renewal: { ...installation.renewal, remainingMs: 15_001 } }),
      records.decodeInstallation,
      /remaining_ms/,
    ],
    [
      'a sequence beyond a number',
      pb.ReaderRecord.encode({ opId, sequence: 2n ** 53n }).finish(),
      records.decodeReader,
      /sequence/,
    ],
    [
      '1001 renewals in a vector',
      records.encodeRenewals(
        {
          gatewayEpoch: 1n as never,
          asOf: 1n as never,
          renewals: Array.from({ length: 1_001 }, () => ({ sessionId: 's' as never, reportSequence: 1, remainingMs: 1 })),
        },
        opId,
      ),
      records.decodeRenewals,
      /at most 1000/,
    ],
  ];
  test.each(rows)('%s', (_title, bytes, decode, problem) =>
    expect(decode(bytes)).toMatchObject({ ok: false, error: expect.stringMatching(problem) }),
  );
});

function unknownOrigin(): Uint8Array {
  const message = pb.ConfigurationRecord.decode(records.encodeConfiguration(configuration, opId));
  for (const each of message.configuration?.services ?? []) each.policy = ServicePolicy.create({ origin: 77 as never });
  return pb.ConfigurationRecord.encode(message).finish();
}

const many = (count: number): Configuration['services'] =>
  Array.from({ length: count }, (_, index) => ({
    ...service,
    service: `s${index}` as never,
    host: `s${index}.apps.test` as never,
  }));
