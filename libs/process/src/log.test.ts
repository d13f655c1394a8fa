import { describe, expect, test } from 'vitest';
import { createLog, type LogLevel } from './log.ts';
import { isSecretName } from './redact.ts';

function capture(level: LogLevel = 'debug') {
  const lines: string[] = [];
  const log = createLog({ level, fields: { app: 'gateway' }, destination: { write: (line) => void lines.push(line) } });
  return { log, lines, last: () => JSON.parse(lines.at(-1) as string) };
}

test('a line is one JSON object with time, level, fields and text', () => {
  const { log, lines, last } = capture();
  log.child({ sandboxId: 's1' }).info({ ownerEpoch: 2n ** 60n }, 'took over 100% of it');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^[^\n]+\n$/);
  expect(last()).toEqual({
    app: 'gateway',
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    sandboxId: 's1',
    ownerEpoch: '1152921504606846976',
    msg: 'took over 100% of it',
  });
});

test('lines below the level are not written', () => {
  const { log, lines } = capture('warn');
  log.info('no');
  log.debug({ a: 1 }, 'no');
  expect(lines).toEqual([]);
  expect(log.isLevelEnabled('info')).toBe(false);
});

test('an error shows what it is, its code and its cause', () => {
  const { log, last } = capture();
  const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  log.error({ err: new TypeError('no gateway', { cause }) }, 'failed');
  expect(last().err).toMatchObject({
    type: 'TypeError',
    message: 'no gateway',
    cause: { message: 'connect', code: 'ECONNREFUSED' },
  });
  expect(last().err.stack).toMatch(/log\.test/);
});

describe('secrets', () => {
  const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.c2lnbmF0dXJl';
  const rows: [title: string, fields: Record<string, unknown>][] = [
    ['under their name', { token: 'hush' }],
    ['under a header name', { authorization: 'hush', cookie: 'hush', 'set-cookie': 'hush', 'Proxy-Authorization': 'hush' }],
    ['in any spelling', { adminToken: 'hush', CLIENT_SECRET: 'hush', 'private-key': 'hush', tlsKey: 'hush', key: 'hush' }],
    ['deep down', { a: { b: [{ credential: 'hush' }] } }],
    ['as whole objects', { credentials: { user: 'hush' } }],
    ['as bytes', { anything: Buffer.from('hush') }],
    ['as a token in a text', { url: `x?t=${jwt}` }],
    ['as a header in a text', { head: 'Authorization: Bearer hush-hush' }],
    ['as a PEM key', { file: '-----BEGIN PRIVATE KEY-----\nhush\n-----END PRIVATE KEY-----' }],
    ['as a PEM key cut short', { file: '-----BEGIN EC PRIVATE KEY-----\nhush' }],
    ['in an error', { err: new Error('refused Bearer hush') }],
    ["in an error's cause", { err: new Error('refused', { cause: { password: 'hush' } }) }],
  ];
  test.each(rows)('%s are redacted', (_title, fields) => {
    const { log, lines } = capture();
    log.info(fields, 'line');
    log.child(fields).info('line');
    expect(lines.join('')).not.toMatch(/hush|eyJzdWIi/);
    expect(lines.join('').length).toBeGreaterThan(20);
  });
  test('in the text are redacted', () => {
    const { log, last } = capture();
    log.info(`got Bearer ${jwt}`);
    expect(last().msg).toBe('got [redacted]');
  });
  test.each(['tokenFile', 'credentialEpoch', 'keyFile', 'storeKey', 'publicKey', 'tokenCount', 'routeKey', 'monkey'])(
    '%s is no secret',
    (name) => expect(isSecretName(name)).toBe(false),
  );
  test('numbers under their names are epochs and stay', () => {
    const { log, last } = capture();
    log.info({ credential: 7n, token: undefined }, 'line');
    expect(last().credential).toBe('7');
  });
});

test('fields that hold themselves do not hang the log', () => {
  const { log, lines } = capture();
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  log.info(cycle, 'line');
  expect(lines[0]).toMatch(/too deep/);
});
