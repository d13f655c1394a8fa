import type { GatewayId, MemberId, PoolId, SandboxId, SandboxName, WorkspaceId } from '@sallyport/model';
import { expect, test } from 'vitest';
import * as keys from './keys.ts';
import { KEY_LENGTH_MAX } from './limits.ts';

const gatewayId = 'gw1' as GatewayId;
const poolId = 'pool1' as PoolId;
const memberId = 'm1' as MemberId;
const sandboxId = 's1' as SandboxId;
const workspace = 'team' as WorkspaceId;
const sandbox = 'box' as SandboxName;

const rows: [key: string, made: string, parsed: keys.StoreKey][] = [
  ['meta/generation', keys.generationKey, { kind: 'generation' }],
  ['gateway/gw1', keys.gatewayKey(gatewayId), { kind: 'gateway', gatewayId }],
  ['member/pool1/m1', keys.memberKey(poolId, memberId), { kind: 'member', poolId, memberId }],
  ['sandbox/s1', keys.sandboxKey(sandboxId), { kind: 'sandbox', sandboxId }],
  ['name/team/box', keys.nameKey(workspace, sandbox), { kind: 'name', workspace, sandbox }],
  ['config/s1', keys.configKey(sandboxId), { kind: 'config', sandboxId }],
  ['credential/s1', keys.credentialKey(sandboxId), { kind: 'credential', sandboxId }],
  ['owner/s1', keys.ownerKey(sandboxId), { kind: 'owner', sandboxId }],
  ['session/s1/m1', keys.sessionKey(sandboxId, memberId), { kind: 'session', sandboxId, memberId }],
  ['installation/team/s1', keys.installationKey(workspace, sandboxId), { kind: 'installation', workspace, sandboxId }],
  ['renewal/gw1/12', keys.renewalKey(gatewayId, 12), { kind: 'renewal', gatewayId, bucket: 12 }],
  ['reader/d1', keys.readerKey('d1'), { kind: 'reader', discoveryId: 'd1' }],
  ['grant/ci', keys.grantKey('ci'), { kind: 'grant', principal: 'ci' }],
  [
    'grant/spiffe%3A%2F%2Fexample.org%2Fedge%2Fa%C3%A4',
    keys.grantKey('spiffe://example.org/edge/aä'),
    { kind: 'grant', principal: 'spiffe://example.org/edge/aä' },
  ],
];
test.each(rows)('%s is made and parsed', (key, made, parsed) => {
  expect(made).toBe(`/sallyport/v1/${key}`);
  expect(keys.parseKey(made)).toEqual(parsed);
});

const unknown = [
  ['of another installation', '/other/v1/sandbox/s1'],
  ['of another version', '/sallyport/v2/sandbox/s1'],
  ['the prefix alone', '/sallyport/v1/'],
  ['of a kind that is not known', '/sallyport/v1/wish/s1'],
  ['without its id', '/sallyport/v1/sandbox/'],
  ['without its kind', '/sallyport/v1//s1'],
  ['with a part too many', '/sallyport/v1/sandbox/s1/more'],
  ['with three parts', '/sallyport/v1/session/s1/m1/more'],
  ['with a part too few', '/sallyport/v1/session/s1'],
  ['ending in a slash', '/sallyport/v1/session/s1/'],
  ['with an id that is none', '/sallyport/v1/sandbox/-s1'],
  ['with a name that is none', '/sallyport/v1/name/Team/box'],
  ['with a name that holds two hyphens', '/sallyport/v1/name/team/a--b'],
  ['with a bucket that is none', '/sallyport/v1/renewal/gw1/01'],
  ['with a bucket below zero', '/sallyport/v1/renewal/gw1/-1'],
  ['another fact of meta', '/sallyport/v1/meta/else'],
  ['a principal spelled otherwise', '/sallyport/v1/grant/%63i'],
  ['a principal that is cut', '/sallyport/v1/grant/%E4'],
  ['a principal of nothing', '/sallyport/v1/grant/'],
];
test.each(unknown)('a key %s is not parsed', (_title, key) => expect(keys.parseKey(key)).toBeUndefined());

const refused: [title: string, make: () => string][] = [
  ['an id with a slash', () => keys.sandboxKey('a/b' as SandboxId)],
  ['an empty id', () => keys.ownerKey('' as SandboxId)],
  ['an id that is too long', () => keys.gatewayKey('a'.repeat(129) as GatewayId)],
  ['a name with a slash', () => keys.nameKey('a/b' as WorkspaceId, sandbox)],
  ['an empty workspace as a prefix', () => keys.installationsIn('' as WorkspaceId)],
  ['an empty sandbox as a prefix', () => keys.sessionsOf('' as SandboxId)],
  ['a bucket that is no number', () => keys.renewalKey(gatewayId, Number.NaN)],
  ['a bucket below zero', () => keys.renewalKey(gatewayId, -1)],
  ['an empty principal', () => keys.grantKey('')],
  ['a principal that is too long', () => keys.grantKey('a'.repeat(keys.PRINCIPAL_LENGTH_MAX + 1))],
  ['a principal that is not text', () => keys.grantKey('\ud800')],
];
test.each(refused)('refuses to make a key of %s', (_title, make) => expect(make).toThrow(/broken invariant/));

test('prefixes end where an id ends', () => {
  const prefixes = [keys.ROOT, keys.gateways, keys.membersOf(poolId), keys.namesIn(workspace), keys.sessionsOf(sandboxId)];
  for (const prefix of [...prefixes, keys.installationsIn(workspace), keys.renewalsOf(gatewayId)])
    expect(prefix).toMatch(/^\/sallyport\/v1\/.*\/$|^\/sallyport\/v1\/$/);
  expect(keys.sessionKey(sandboxId, memberId).startsWith(keys.sessionsOf('s' as SandboxId))).toBe(false);
});
test('the longest keys are within the limit', () => {
  const longest = 'x'.repeat(128);
  expect(keys.sessionKey(longest as SandboxId, longest as MemberId).length).toBeLessThan(KEY_LENGTH_MAX);
  expect(keys.grantKey('€'.repeat(keys.PRINCIPAL_LENGTH_MAX)).length).toBeLessThan(KEY_LENGTH_MAX);
});
