import type {
  CredentialEpoch,
  GatewayEpoch,
  GatewayId,
  MemberId,
  OwnerEpoch,
  RuntimeId,
  SandboxId,
  SessionId,
  StoreRevision,
} from '@sallyport/model';
import { credentialKey, gatewayKey, ownerKey, ROOT, renewalKey, type StoreEvent, sessionKey } from '@sallyport/store';
import { encodeCredential, encodeGateway, encodeOwnership, encodeRenewals, encodeSession } from '@sallyport/wire';
import { describe, expect, test } from 'vitest';
import { decodeEvent, operationIdOf } from './decode.ts';

const sb = 'sb' as SandboxId;
const m0 = 'm0' as MemberId;
const g0 = 'g0' as GatewayId;
const at = (revision: bigint): StoreRevision => revision as StoreRevision;
const put = (key: string, value: Uint8Array): StoreEvent => ({
  kind: 'put',
  entry: { key, value, createRevision: at(3n), modRevision: at(5n) },
});

const owned = { kind: 'owned', epoch: 7n as OwnerEpoch, by: m0 } as const;
const session = {
  gatewayId: g0,
  gatewayEpoch: 2n as GatewayEpoch,
  sessionId: 's0' as SessionId,
  runtimeId: 'r0' as RuntimeId,
  credentialEpoch: 1n as CredentialEpoch,
};
const vector = {
  gatewayEpoch: 2n as GatewayEpoch,
  asOf: at(4n),
  renewals: [{ sessionId: 's0' as SessionId, reportSequence: 3, remainingMs: 9 }],
};

describe('a put becomes a record, with the revisions of its key', () => {
  const rows: [key: string, value: Uint8Array, want: object, record: unknown][] = [
    [ownerKey(sb), encodeOwnership(owned, 'op'), { kind: 'owner', sandboxId: sb }, owned],
    [credentialKey(sb), encodeCredential(4n as CredentialEpoch, 'op'), { kind: 'credential', sandboxId: sb }, 4n],
    [sessionKey(sb, m0), encodeSession(session, 'op'), { kind: 'session', sandboxId: sb, memberId: m0 }, session],
    [renewalKey(g0, 1), encodeRenewals(vector, 'op'), { kind: 'renewal', gatewayId: g0, bucket: 1 }, vector],
    [
      gatewayKey(g0),
      encodeGateway({ address: 'a:1', version: 'v' }, 'op'),
      { kind: 'gateway', gatewayId: g0 },
      { address: 'a:1', version: 'v' },
    ],
  ];
  test.each(rows)('%s', (key, value, want, record) => {
    const decoded = decodeEvent(put(key, value));
    expect(decoded?.problem).toBeUndefined();
    expect(decoded?.change).toEqual({ key: want, held: { value: record, createRevision: 3n, modRevision: 5n } });
    expect(operationIdOf(key, value)).toBe('op');
  });
});

test('a deletion ends the record', () => {
  expect(decodeEvent({ kind: 'delete', key: ownerKey(sb), modRevision: at(6n) })).toEqual({
    change: { key: { kind: 'owner', sandboxId: sb }, held: undefined },
    problem: undefined,
  });
});

test('a value that cannot be read counts as absent, and is told', () => {
  const decoded = decodeEvent(put(ownerKey(sb), new Uint8Array([255, 255, 255])));
  expect(decoded?.change).toEqual({ key: { kind: 'owner', sandboxId: sb }, held: undefined });
  expect(decoded?.problem).toContain(ownerKey(sb));
  expect(operationIdOf(ownerKey(sb), new Uint8Array([255]))).toBeUndefined();
});

test.each([
  ['of a kind that this release does not know', `${ROOT}novelty/sb`],
  ['of nobody’s', '/other/key'],
  ['too deep', `${ROOT}owner/sb/more/and/more`],
  ['with an id that is none', `${ROOT}owner/-`],
])('a key %s is left alone', (_title, key) => {
  expect(decodeEvent(put(key, encodeOwnership(owned, 'op')))).toBeUndefined();
  expect(operationIdOf(key, encodeOwnership(owned, 'op'))).toBeUndefined();
});
