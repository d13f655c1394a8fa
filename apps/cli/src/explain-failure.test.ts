import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { type Failure, failure, fenced } from '@sallyport/model';
import { TOKEN_EXPIRED } from '@sallyport/wire';
import { createTestAuthority } from '@sallyport/wire/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { answering, authority, directory, gatewayOf, reach, refusing, run, serve } from './testing/installation.ts';

const stranger = await createTestAuthority();
afterAll(() => stranger.remove());

/** One line on stderr, exit 1, nothing on stdout. */
const expectTrouble = (ran: { code: number; out: string; err: string }, why: RegExp): void => {
  expect(ran).toMatchObject({ code: 1, out: '', err: expect.stringMatching(why) });
  expect(ran.err.trimEnd().split('\n')).toHaveLength(1);
};
const well = gatewayOf({ listServices: answering({ services: [] }) });

describe('a refusal says what, why and what next', () => {
  const rows: [refusal: Failure, why: RegExp][] = [
    [failure('unauthenticated', TOKEN_EXPIRED), /cannot list services: the token in .*token has expired; ask for a new one/],
    [
      failure('unauthenticated', 'the token is for another audience'),
      /does not take the token in .*: the token is for another audience; give another with --token-file/,
    ],
    [failure('forbidden', 'viewer ann may not'), /viewer ann may not: ask an admin/],
    [failure('unknown', 'no sandbox'), /no sandbox; see what there is with/],
    [failure('unknown', 'no sandbox; register it'), /no sandbox; register it$/m],
    [failure('not-ready', 'no authority'), /no authority; try again/],
    [failure('unsupported', 'x'), /the gateway does not know how \(x\)/],
    [failure('conflict', 'the name is taken'), /the name is taken/],
    [fenced('runtime', 'it has moved on'), /it has moved on/],
    [failure('malformed', 'bad'), /bad/],
    [failure('over-limit', '64 services'), /64 services/],
  ];
  test.each(rows)('$kind', async (refusal, why) => {
    expectTrouble(await run(['service', 'list'], reach(await serve(gatewayOf({ listServices: refusing(refusal) })))), why);
  });
});

describe('no answer is looked into', () => {
  test('a gateway that is down', async () => {
    const server = await serve(well);
    await server.close(0);
    expectTrouble(
      await run(['service', 'list'], reach(server)),
      /nothing listens on 127\.0\.0\.1:\d+; check that the gateway runs, and --gateway/,
    );
  });
  test('a wrong CA', async () => {
    expectTrouble(
      await run(['service', 'list'], { ...reach(await serve(well)), SALLYPORT_CA_FILE: stranger.caFile }),
      /was not signed by .*ca\.crt .*; give the CA of the gateway with --ca-file/,
    );
  });
  test('a wrong name', async () => {
    const server = await serve(well, await authority.issue('elsewhere', { dnsNames: ['gateway.acme.test'] }));
    expectTrouble(
      await run(['service', 'list'], reach(server)),
      /is for gateway\.acme\.test; use one of these names with --gateway/,
    );
  });
  test('a port that speaks no TLS', async () => {
    const plain = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const address = plain.address() as AddressInfo;
    expectTrouble(await run(['service', 'list'], reach({ address: { host: '', port: address.port } } as never)), /speaks no TLS/);
    plain.close();
  });
  test('a name that there is not', async () => {
    expectTrouble(
      await run(['service', 'list'], { ...reach(await serve(well)), SALLYPORT_GATEWAY: 'gateway.invalid:1' }),
      /cannot be resolved; check --gateway/,
    );
  });
});

describe('what is wrong before anything is asked', () => {
  const there = async (change: Record<string, string | undefined>) => {
    const env = { ...reach(await serve(well)), ...change };
    return run(
      ['service', 'list'],
      Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined)) as Record<string, string>,
    );
  };
  test('nothing is known', async () =>
    expectTrouble(await run(['service', 'list']), /no dev stack runs here: start one with npm start, or give --gateway/));
  test('no token file', async () =>
    expectTrouble(await there({ SALLYPORT_TOKEN_FILE: '/nowhere' }), /cannot be read from \/nowhere \(ENOENT\)/));
  test('a token file that holds none', async () => {
    writeFileSync(join(directory, 'empty'), '');
    expectTrouble(await there({ SALLYPORT_TOKEN_FILE: join(directory, 'empty') }), /holds no token/);
  });
  test('a CA that is none', async () =>
    expectTrouble(await there({ SALLYPORT_CA_FILE: join(directory, 'token') }), /not a PEM file; give another with --ca-file/));

  const misuses: [title: string, change: Record<string, string | undefined>, why: RegExp][] = [
    ['an address without a port', { SALLYPORT_GATEWAY: 'localhost' }, /not host:port/],
    ['an address with a scheme', { SALLYPORT_GATEWAY: 'https://localhost:1' }, /not host:port/],
    [
      'an address alone: it is not shown the dev token',
      { SALLYPORT_TOKEN_FILE: undefined, SALLYPORT_CA_FILE: undefined },
      /--gateway needs --token-file and --ca-file as well/,
    ],
    ['an address without a CA', { SALLYPORT_CA_FILE: undefined }, /needs --ca-file as well/],
  ];
  test.each(misuses)('%s', async (_title, change, why) =>
    expect(await there(change)).toMatchObject({ code: 64, err: expect.stringMatching(why) }),
  );
});
