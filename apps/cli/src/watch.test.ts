import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { failure, ok } from '@sallyport/model';
import { type PublishedRecord, recordMessage, watchResponseMessage } from '@sallyport/wire';
import { expect, test } from 'vitest';
import {
  answering,
  authority,
  directory,
  discoveryAnswering,
  gatewayOf,
  reach,
  run,
  serve,
  service,
} from './testing/installation.ts';

const plain = (value: unknown): never => value as never;
const record = (name: string, port = 8443): PublishedRecord =>
  plain({
    ...{
      recordId: `sb/${name}`,
      workspace: 'team',
      sandbox: 'demo',
      service: name,
      host: `${name}.apps.test`,
      url: `https://${name}.apps.test/`,
    },
    ...{ endpoint: { address: '::1', port, podUid: '' }, ownerEpoch: 5n, configRevision: 1n, renewedBy: 'g' },
  });
const timed = (name: string, port?: number) => ({ record: record(name, port), ttlMs: 10_000 });

/** Streams that say this, one after another; the last stays open until the reader leaves. */
const watching = (...streams: (Parameters<typeof watchResponseMessage>[0]['message'] | 'refuse')[][]) => {
  const starts: string[] = [];
  const binding = discoveryAnswering({
    async watch(stream) {
      const said = streams[Math.min(starts.length, streams.length - 1)] ?? [];
      const isLast = starts.length >= streams.length - 1;
      for await (const { request } of stream.received) {
        if (request?.$case !== 'start') continue;
        starts.push(request.value.resumeToken);
        for (const message of said) {
          if (message === 'refuse') return { ok: false, error: failure('forbidden', 'edge-1 has no grant') };
          stream.send(watchResponseMessage({ pingId: 0n, message }));
        }
        if (!isLast) return ok(undefined);
      }
      return ok(undefined);
    },
  });
  return { binding, starts };
};

/** Runs until so many lines have been printed, then Ctrl-C. */
async function lines(argv: string[], env: Record<string, string>, count: number): Promise<{ code: number; out: string[] }> {
  const stop = new AbortController();
  const out: string[] = [];
  const { execute } = await import('./execute.ts');
  const code = await execute({
    argv,
    env,
    cwd: '/',
    stdout: (text) => {
      out.push(...text.split('\n').filter(Boolean));
      if (out.length >= count) stop.abort();
    },
    stderr: () => undefined,
    signal: stop.signal,
  });
  return { code, out };
}

test('discovery watch prints what there is, then each change, and ends with Ctrl-C', async () => {
  const { binding } = watching([
    { kind: 'snapshot', pages: [[timed('web'), timed('api')]], removed: [], token: 't1' },
    {
      kind: 'delta',
      from: 't1',
      to: 't2',
      tombstones: [{ recordId: 'sb/api', reason: 'owner-changed' }],
      upserts: [timed('web', 9443)],
    },
  ]);
  expect(await lines(['discovery', 'watch'], reach(await serve(binding), 'DISCOVERY'), 4)).toEqual({
    code: 130,
    out: [
      '+ web.apps.test at [::1]:8443',
      '+ api.apps.test at [::1]:8443',
      '- api.apps.test (owner-changed)',
      '+ web.apps.test at [::1]:9443',
    ],
  });
});

test('it goes on in a new stream from where the old one ended, and says nothing twice', async () => {
  const { binding, starts } = watching(
    [{ kind: 'snapshot', pages: [[timed('web')]], removed: [], token: 't1' }],
    [{ kind: 'delta', from: 't1', to: 't2', tombstones: [], upserts: [timed('web'), timed('api')] }],
  );
  const { out } = await lines(['discovery', 'watch', 'team', '-o', 'json'], reach(await serve(binding), 'DISCOVERY'), 2);
  expect(starts).toEqual(['', 't1']);
  expect(
    out
      .map((line) => JSON.parse(line) as { change: string; record: { service: string } })
      .map(({ change, record: { service: name } }) => [change, name]),
  ).toEqual([
    ['put', 'web'],
    ['put', 'api'],
  ]);
});

test('one whose server is gone says so once, in words, until it is back', async () => {
  const { binding } = watching([{ kind: 'snapshot', pages: [[timed('web')]], removed: [], token: 't1' }]);
  const server = await serve(binding);
  const stop = new AbortController();
  const told: string[] = [];
  const { execute } = await import('./execute.ts');
  const ran = execute({
    argv: ['discovery', 'watch'],
    env: reach(server, 'DISCOVERY'),
    cwd: '/',
    stdout: () => void server.close(0),
    stderr: (text) => void told.push(text),
    signal: stop.signal,
  });
  const said = (why: RegExp) => told.filter((text) => why.test(text)).length;
  await expect.poll(() => said(/nothing listens on .*; check that discovery runs/)).toBe(1);
  // Now somebody does, and hangs up each time: a stream and a look at why, each second.
  let calls = 0;
  const stranger = createServer((socket) => {
    calls += 1;
    socket.destroy();
  }).listen(Number(reach(server, 'DISCOVERY').SALLYPORT_DISCOVERY?.split(':')[1]), '127.0.0.1');
  await expect.poll(() => calls, { timeout: 60_000 }).toBeGreaterThan(6);
  stop.abort();
  stranger.close();
  expect(await ran).toBe(130);
  expect(said(/the connection to .* fails/)).toBe(1);
});

test('a dev stack that is started again is found on its new port', async () => {
  const file = join(mkdtempSync(join(directory, 'stack-')), 'ready.json');
  const starting = async (name: string) => {
    const { binding } = watching([{ kind: 'snapshot', pages: [[timed(name)]], removed: [], token: name }]);
    const server = await serve(binding);
    const { SALLYPORT_DISCOVERY: discoveryAddress, SALLYPORT_TOKEN_FILE: adminTokenFile } = reach(server, 'DISCOVERY');
    writeFileSync(file, JSON.stringify({ gatewayAddress: 'x:1', discoveryAddress, adminTokenFile, caFile: authority.caFile }));
    return server;
  };
  const before = await starting('before');
  const stop = new AbortController();
  const [out, told]: [string[], string[]] = [[], []];
  const { execute } = await import('./execute.ts');
  const ran = execute({
    argv: ['discovery', 'watch'],
    env: { SALLYPORT_STATE_DIR: dirname(file) },
    cwd: '/',
    stdout: (text) => {
      out.push(text);
      if (text.includes('+ before')) void before.close(0).then(() => rmSync(file));
      else stop.abort();
    },
    stderr: (text) => void told.push(text),
    signal: stop.signal,
  });
  await expect.poll(() => told.some((text) => /no dev stack runs with/.test(text)), { timeout: 20_000 }).toBe(true);
  await starting('after');
  expect(await ran).toBe(130);
  expect(out.join('')).toContain('+ after.apps.test');
});

test('it ends when it may not see anything', async () => {
  const { binding } = watching([['refuse'] as never[]].flat() as never[]);
  expect(await run(['discovery', 'watch'], reach(await serve(binding), 'DISCOVERY'))).toMatchObject({
    code: 1,
    err: expect.stringMatching(/cannot watch discovery: edge-1 has no grant/),
  });
});

test('grants are set and listed', async () => {
  const server = await serve(
    gatewayOf({
      setGrant: async ({ principal, workspaces }, caller) =>
        answering({ grant: { principal, workspaces, grantEpoch: 4n } })(undefined, caller),
      listGrants: answering({ grants: [{ principal: 'edge-1', workspaces: ['team', 'other'], grantEpoch: 4n }] }),
    }),
  );
  expect(await run(['grant', 'set', 'edge-1', 'team', 'other'], reach(server))).toEqual({
    code: 0,
    out: '',
    err: 'edge-1 may see team, other\n',
  });
  expect((await run(['grant', 'set', 'edge-1'], reach(server))).err).toBe('edge-1 may see nothing\n');
  expect((await run(['grant', 'set', 'edge-1', 'Team'], reach(server))).code).toBe(64);
  expect((await run(['grant', 'list'], reach(server))).out).toBe('PRINCIPAL  MAY SEE\nedge-1     team, other\n');
  expect(JSON.parse((await run(['grant', 'list', '-o', 'json'], reach(server))).out)).toEqual([
    { principal: 'edge-1', workspaces: ['team', 'other'], grantEpoch: '4' },
  ]);
});

test('service get says since when, and as far as discovery knows until when', async () => {
  const gateway = await serve(gatewayOf({ getService: answering({ service: service({ sinceMs: 125_000n }) }) }));
  const shown = await serve(
    discoveryAnswering({ resolve: answering({ record: recordMessage({ ...timed('web'), ttlMs: 9_400 }) }) }),
  );
  const { out } = await run(['service', 'get', 'team/demo/web'], { ...reach(gateway), ...reach(shown, 'DISCOVERY') });
  expect(out).toMatch(/^state +published$/m);
  expect(out).toMatch(/^since +2 min ago/m);
  expect(out).toMatch(/^certain for +9\.4 s/m);
  const gone = await serve(
    discoveryAnswering({ resolve: async () => ({ ok: false, error: failure('unknown', 'not published') }) }),
  );
  expect((await run(['service', 'get', 'team/demo/web'], { ...reach(gateway), ...reach(gone, 'DISCOVERY') })).out).toMatch(
    /^state +expired: /m,
  );
});
