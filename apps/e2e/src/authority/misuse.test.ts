import type { WorkspaceId } from '@sallyport/model';
import { APPS, type App, type Role } from '@sallyport/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attempt } from './misuse/attempt.ts';
import { declared } from './misuse/methods.ts';
import { type Row, rows } from './misuse/rows.ts';
import { type Port, type Stage, startStage } from './misuse/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.close());

/** Who may call a port at all. */
const RIGHTFUL: Record<Port, App | undefined> = {
  operator: undefined,
  discovery: undefined,
  supervisor: 'supervisor',
  driver: 'gateway',
};
const TOO_LARGE = Buffer.alloc(1_048_577);
/** A field with a length beyond the end: bytes of no message at all. */
const GARBAGE = Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x7f, 1, 2, 3]);
const other = ['other' as WorkspaceId];

interface Misuse {
  readonly title: string;
  readonly ports: readonly Port[];
  readonly status: string | ((row: Row) => string);
  readonly app?: App;
  readonly bytes?: Buffer;
  /** Undefined: the call shows no token. */
  readonly token?: () => Promise<string> | string;
}

const admin: Role = { kind: 'admin' };
const good = (): Promise<string> => stage.pki.operatorToken(admin);
const BEARER: readonly Port[] = ['operator', 'discovery'];
const EVERY: readonly Port[] = ['operator', 'discovery', 'supervisor', 'driver'];

const misuses: readonly Misuse[] = [
  { title: 'no credential', ports: BEARER, status: 'UNAUTHENTICATED' },
  { title: 'a credential that is no token', ports: BEARER, token: () => 'nonsense', status: 'UNAUTHENTICATED' },
  {
    title: 'an expired token',
    ports: BEARER,
    token: () => stage.pki.operatorToken(admin, 1_000, new Date(Date.now() - 3_600_000)),
    status: 'UNAUTHENTICATED',
  },
  {
    title: 'the token of a reader of discovery',
    ports: ['operator'],
    token: () => stage.pki.operatorToken({ kind: 'reader', workspaces: 'all' }),
    status: 'UNAUTHENTICATED',
  },
  {
    title: 'a viewer of another workspace',
    ports: ['operator'],
    token: () => stage.pki.operatorToken({ kind: 'viewer', workspaces: other }),
    status: ({ foreign = 'none' }) => foreign,
  },
  {
    title: 'an editor of another workspace',
    ports: ['operator'],
    token: () => stage.pki.operatorToken({ kind: 'editor', workspaces: other }),
    status: ({ foreign = 'none' }) => foreign,
  },
  {
    title: 'a reader whom nothing was granted',
    ports: ['discovery'],
    token: () => stage.pki.operatorToken({ kind: 'reader', workspaces: other }),
    status: 'PERMISSION_DENIED',
  },
  {
    title: 'the certificate of an app that the port does not take',
    ports: EVERY,
    app: 'boundary',
    token: good,
    status: 'PERMISSION_DENIED',
  },
  { title: 'a message over the limit', ports: EVERY, bytes: TOO_LARGE, token: good, status: 'RESOURCE_EXHAUSTED' },
  { title: 'bytes of no message', ports: EVERY, bytes: GARBAGE, token: good, status: 'INVALID_ARGUMENT' },
];

test('every method that is declared has a row, and every row a method', () => {
  expect(declared.map(({ service, name }) => `${service}/${name}`).sort()).toEqual(Object.keys(rows).sort());
});

describe.each(misuses)('$title', ({ ports, app, bytes, token, status }) => {
  const mine = declared.flatMap((method) => {
    const key = `${method.service}/${method.name}`;
    const row = rows[key];
    return row === undefined || !ports.includes(row.port) ? [] : [{ key, method, row }];
  });
  test.each(mine)('$key', async ({ method, row }) => {
    const expected = typeof status === 'string' ? status : status(row);
    const link = await stage.link(row.port, app ?? RIGHTFUL[row.port]);
    const before = await seen(row.port, method.name, expected);
    const bearer = BEARER.includes(row.port) ? await token?.() : undefined;
    expect(await attempt(link, method, bytes ?? row.bytes, bearer)).toBe(expected);
    const after = await seen(row.port, method.name, expected);
    expect(after.records).toEqual(before.records);
    if (expected === 'OK') return;
    expect(after.count - before.count).toBe(1);
    expect(after.lines.slice(before.lines.length).map((line) => line.includes(method.path))).toEqual([true]);
    // One line in all: an audit line beside it would tell the same again.
    expect(stage.linesSince(before.mark)).toHaveLength(1);
  });
});

/** Bytes of a message whose meaning is none: an empty one names nothing. */
test.each(['RegisterSandbox', 'DeleteSandbox', 'ExposeService', 'DeleteService', 'BumpCredential', 'SetGrant'])(
  'a change that cannot be understood is told of once, and not as a change: %s',
  async (name) => {
    const method = declared.find((each) => each.name === name);
    if (method === undefined) throw new Error(`no method ${name}`);
    const before = await seen('operator', name, 'INVALID_ARGUMENT');
    expect(await attempt(await stage.link('operator', undefined), method, Buffer.alloc(0), await good())).toBe(
      'INVALID_ARGUMENT',
    );
    const after = await seen('operator', name, 'INVALID_ARGUMENT');
    expect(after.records).toEqual(before.records);
    expect(after.count - before.count).toBe(1);
    expect(stage.linesSince(before.mark)).toEqual([expect.stringContaining(method.path)]);
  },
);

const seen = async (port: Port, method: string, status: string) => ({
  records: await stage.records(),
  count: await stage.refusedCount(port, method, status),
  lines: stage.refusalLines(),
  mark: stage.mark(),
});

/** Whose certificate opens which port; everybody else is refused before the message is looked at. */
const TAKEN: Record<Port, readonly App[]> = {
  operator: ['operator'],
  discovery: ['edge', 'operator'],
  supervisor: ['supervisor'],
  driver: ['gateway'],
};
describe.each(EVERY)('at the %s port', (port) => {
  test.each(APPS)('the certificate of %s', async (app) => {
    const method = declared.find(({ service, name }) => rows[`${service}/${name}`]?.port === port);
    if (method === undefined) throw new Error(`no method at the ${port} port`);
    const before = await stage.records();
    const status = await attempt(await stage.link(port, app), method, GARBAGE);
    // Whoever is let in is told what is wrong with the message, or asked for a token.
    if (TAKEN[port].includes(app)) expect(['INVALID_ARGUMENT', 'UNAUTHENTICATED']).toContain(status);
    else expect(status).toBe('PERMISSION_DENIED');
    expect(await stage.records()).toEqual(before);
  });
});

/** Where only apps of the installation may call, the handshake itself ends without a certificate: no call is made. */
describe.each(['supervisor', 'driver'] as const)('no certificate at the %s port', (port) => {
  const mine = declared.filter(({ service, name }) => rows[`${service}/${name}`]?.port === port);
  test.each(mine)('$name', async (method) => {
    const before = await stage.records();
    expect(await attempt(await stage.link(port, undefined), method, Buffer.alloc(0))).toBe('UNAVAILABLE');
    expect(await stage.records()).toEqual(before);
  });
});
