import type { WorkspaceId } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import { GatewayServiceService } from './gen/sallyport/gateway/v1/gateway.ts';
import { type GatewayMethod, mayCall, maySee, type Role } from './roles.ts';

const team = 'team' as WorkspaceId;
const admin: Role = { kind: 'admin' };
const editor: Role = { kind: 'editor', workspaces: [team] };
const viewer: Role = { kind: 'viewer', workspaces: [team] };
const viewerOfAll: Role = { kind: 'viewer', workspaces: 'all' };
const reader: Role = { kind: 'reader', workspaces: 'all' };

/** Each cell: may it in its own workspace / in another / without naming one. `+` yes, `-` no. */
const rows: [method: GatewayMethod, admin: string, editor: string, viewer: string, viewerOfAll: string, reader: string][] = [
  ['registerSandbox', '+++', '+--', '---', '---', '---'],
  ['listSandboxes', '+++', '+-+', '+-+', '+++', '---'],
  ['deleteSandbox', '+++', '+--', '---', '---', '---'],
  ['exposeService', '+++', '+--', '---', '---', '---'],
  ['listServices', '+++', '+-+', '+-+', '+++', '---'],
  ['getService', '+++', '+-+', '+-+', '+++', '---'],
  ['deleteService', '+++', '+--', '---', '---', '---'],
  ['bumpCredential', '+++', '+--', '---', '---', '---'],
  ['getStatus', '+++', '+++', '+++', '+++', '---'],
  ['checkInstallation', '+++', '+++', '+++', '+++', '---'],
  ['setGrant', '+++', '---', '---', '---', '---'],
  ['listGrants', '+++', '---', '---', '---', '---'],
  ['beginGeneration', '+++', '---', '---', '---', '---'],
];

describe('who may call', () => {
  const cell = (role: Role, method: GatewayMethod): string =>
    [team, 'other' as WorkspaceId, undefined].map((workspace) => (mayCall(role, method, workspace) ? '+' : '-')).join('');
  test.each(rows)('%s', (method, ...want) => {
    expect([admin, editor, viewer, viewerOfAll, reader].map((role) => cell(role, method))).toEqual(want);
  });

  test('every method has a row', () => {
    expect(rows.map(([method]) => method).sort()).toEqual(Object.keys(GatewayServiceService).sort());
  });
});

test.each([
  [admin, true, true],
  [editor, true, false],
  [viewer, true, false],
  [viewerOfAll, true, true],
  [reader, true, true],
  [{ kind: 'reader', workspaces: [] } as Role, false, false],
])('%o sees its own, another', (role, own, other) => {
  expect([maySee(role, team), maySee(role, 'other' as WorkspaceId)]).toEqual([own, other]);
});
