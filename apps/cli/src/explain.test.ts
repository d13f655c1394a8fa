import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { discoveryV1 } from '@sallyport/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  answering,
  authority,
  discoveryAnswering,
  gatewayOf,
  reach,
  run,
  SERVICE_STATE_INSTALLED,
  SERVICE_STATE_REJECTED,
  serve,
  service,
} from './testing/installation.ts';

const { ClauseState } = discoveryV1;
const HOST = 'team--demo--web.apps.test';
const NAMES = [
  'name',
  'sandbox',
  'declaration',
  'configuration',
  'session',
  'runtime',
  'credential',
  'owner',
  'member',
  'endpoint',
  'report',
  'renewal',
  'grant',
];
let supervisor: Server;
let port = 0;
let other: Server;

/** The clauses up to the one that fails, as discovery answers. */
const clausesUpTo = (failing?: string, detail = 'why not', nextStep = 'do this'): discoveryV1.Clause[] => {
  const at = failing === undefined ? NAMES.length : NAMES.indexOf(failing);
  return NAMES.map((name, index) => {
    if (index < at) return { name, state: ClauseState.CLAUSE_STATE_HOLDS, detail: `${name} is well`, nextStep: '' };
    if (index === at) return { name, state: ClauseState.CLAUSE_STATE_FAILS, detail, nextStep };
    return { name, state: ClauseState.CLAUSE_STATE_NOT_REACHED, detail: '', nextStep: '' };
  });
};
const answer = (change: object = {}): discoveryV1.ExplainResponse =>
  discoveryV1.ExplainResponse.fromPartial({
    host: HOST,
    published: true,
    clauses: clausesUpTo(),
    record: {
      recordId: 'x',
      workspace: 'team',
      sandbox: 'demo',
      host: HOST,
      url: `https://${HOST}/`,
      endpoint: { address: '127.0.0.1', port },
      ttlMs: 9_000,
    },
    ...{ workspace: 'team', sandbox: 'demo', service: 'web' },
    ...change,
  });
const failing = (name: string) => answer({ published: false, clauses: clausesUpTo(name), record: undefined });
const asking = async (response: discoveryV1.ExplainResponse) =>
  reach(await serve(discoveryAnswering({ explain: answering(response) })), 'DISCOVERY');

async function tlsServer(name: string, dnsNames: string[]): Promise<Server> {
  const files = await authority.issue(name, { dnsNames, ipAddresses: [] });
  const server = createServer({ cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
beforeAll(async () => {
  supervisor = await tlsServer('app', [HOST]);
  other = await tlsServer('other', ['www.example.com']);
  port = (supervisor.address() as AddressInfo).port;
});
afterAll(() => {
  supervisor.close();
  other.close();
});

describe('explain', () => {
  test('a published host: a tick for each clause, and its URL', async () => {
    const { code, out, err } = await run(['explain', HOST], await asking(answer()));
    expect([code, err]).toEqual([0, '']);
    const lines = out.split('\n');
    expect(lines[0]).toBe(`${HOST} is published`);
    expect(lines.filter((line) => line.startsWith('✓ '))).toHaveLength(NAMES.length);
    expect(out).toContain(`https://${HOST}/`);
    expect(out).not.toMatch(/health/i);
  });

  test.each(NAMES)('the clause "%s", when it fails: the reason, then what to do, and nothing after it', async (name) => {
    const { code, out, err } = await run(['explain', HOST], await asking(failing(name)));
    expect(code).toBe(1);
    expect(err).toBe(`sallyport: ${HOST} is not published: ${name}\n`);
    expect(out).toMatch(new RegExp(`^✗ ${name} +why not$`, 'm'));
    expect(out.match(/^· /gm) ?? []).toHaveLength(NAMES.length - NAMES.indexOf(name) - 1);
    expect(out.trimEnd().split('\n').at(-1)).toBe('next: do this');
  });

  test('takes a URL, as it is copied from a browser', async () => {
    let asked = '';
    const server = await serve(
      discoveryAnswering({
        explain: async (request, caller) => {
          asked = request.host;
          return answering(answer())(request, caller);
        },
      }),
    );
    await run(['explain', `https://Team--demo--web.apps.test:8443/some/page?x=1`], reach(server, 'DISCOVERY'));
    expect(asked).toBe(HOST);
  });

  test('for programs', async () => {
    const { code, out } = await run(['explain', HOST, '-o', 'json'], await asking(failing('owner')));
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      host: HOST,
      published: false,
      clauses: expect.arrayContaining([{ name: 'owner', state: 'fails', detail: 'why not', nextStep: 'do this' }]),
      record: null,
      probe: null,
    });
  });

  test('asks the gateway for what the records cannot tell: a rejected configuration', async () => {
    const gateway = await serve(
      gatewayOf({
        getService: answering({ service: service({ state: SERVICE_STATE_REJECTED, detail: 'port 22 is not allowed' }) }),
      }),
    );
    const { out, code } = await run(['explain', HOST], { ...(await asking(failing('report'))), ...reach(gateway) });
    expect(code).toBe(1);
    expect(out).toMatch(/^✗ configuration +port 22 is not allowed$/m);
    expect(out).toMatch(/^· report/m);
    expect(out).toMatch(/next: declare it otherwise: sallyport service expose team\/demo\/web=PORT/);
  });
  test('and adds what else it says', async () => {
    const gateway = await serve(
      gatewayOf({
        getService: answering({ service: service({ state: SERVICE_STATE_INSTALLED, detail: 'not published (yet)' }) }),
      }),
    );
    const { out } = await run(['explain', HOST], { ...(await asking(failing('report'))), ...reach(gateway) });
    expect(out).toMatch(/why not \(gateway: not published \(yet\)\)/);
  });
});

describe('explain --probe dials as an ingress does', () => {
  test('reached', async () => {
    const { code, out } = await run(['explain', HOST, '--probe'], await asking(answer()));
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/✓ probe +127\.0\.0\.1:\d+ shows a trusted certificate for team--demo/),
    ]);
  });
  test('nothing listens', async () => {
    const gone = await tlsServer('gone', [HOST]);
    const at = (gone.address() as AddressInfo).port;
    gone.close();
    const { code, out, err } = await run(
      ['explain', HOST, '--probe'],
      await asking(answer({ record: { ...answer().record, endpoint: { address: '127.0.0.1', port: at } } })),
    );
    expect([code, out, err]).toEqual([
      1,
      expect.stringMatching(/✗ probe +nothing listens on .*\n\nnext: check that the supervisor runs/),
      expect.stringMatching(/is published, but: nothing listens/),
    ]);
  });
  test('another certificate', async () => {
    const at = (other.address() as AddressInfo).port;
    const { code, out } = await run(
      ['explain', HOST, '--probe'],
      await asking(answer({ record: { ...answer().record, endpoint: { address: '127.0.0.1', port: at } } })),
    );
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(/✗ probe .* is for DNS:www\.example\.com\n\nnext: give the supervisor a certificate that covers/),
    ]);
  });
  test('not where nothing is published', async () => {
    const { out } = await run(['explain', HOST, '--probe'], await asking(failing('owner')));
    expect(out).toMatch(/^· probe +not dialled: it is not published$/m);
  });
});
