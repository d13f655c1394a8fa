import { describe, expect, type TestContext, test } from 'vitest';
import { get } from '../http-cases/makers.ts';
import { handshake } from '../http-cases/tunnel-makers.ts';
import type { Client } from '../stage/client.ts';
import { statusOf } from '../stage/message.ts';
import { HOST, HOST_B, HOST_TWIN, openStage, type Stage, type StageOptions } from '../stage/stage.ts';
import { until } from '../stage/until.ts';

const OPENS = 200;
const LIMIT = 25;

async function stageFor({ onTestFinished }: TestContext, limits: StageOptions['limits']): Promise<Stage> {
  const stage = await openStage({ limits });
  onTestFinished(() => stage.close());
  return stage;
}

/** Opens many connections at once; the highest count that was ever seen, and those that got through. */
async function openMany(stage: Stage, host: string, count: () => number) {
  let highest = 0;
  const look = setInterval(() => {
    highest = Math.max(highest, count());
  }, 1);
  const opened = await Promise.all(
    Array.from({ length: OPENS }, async () => {
      const client = await stage.open({ servername: host }).catch(() => undefined);
      highest = Math.max(highest, count());
      const answer = await client?.ask(get('/x', '', host)).catch(() => undefined);
      return answer === undefined ? undefined : client;
    }),
  );
  clearInterval(look);
  return { highest, through: opened.filter((client): client is Client => client !== undefined) };
}

describe.concurrent('parallel opens at a limit of n never exceed n', () => {
  const rows = [
    ['connectionsMax', (stage: Stage) => stage.supervisor.listener.connectionCount()],
    ['connectionsPerInstanceMax', (stage: Stage) => stage.sandboxes.case.instance.counters().connectionCount],
    ['connectionsPerClientMax', (stage: Stage) => stage.sandboxes.case.instance.counters().connectionCount],
  ] as const;
  test.each(rows)('%s', async (name, count) => {
    const stage = await openStage({ limits: { [name]: LIMIT } });
    try {
      const { highest, through } = await openMany(stage, HOST, () => count(stage));
      expect(highest).toBeLessThanOrEqual(LIMIT);
      expect(through.length).toBe(LIMIT);
      expect(
        (await Promise.all(through.map((client) => client.ask(get('/again'))))).every((answer) => statusOf(answer) === 200),
      ).toBe(true);
      for (const client of through) client.close();
      await until('all are let go', () => stage.supervisor.listener.connectionCount() === 0);
      // What was let go can be taken again, to the last one.
      expect((await openMany(stage, HOST, () => count(stage))).through.length).toBe(LIMIT);
    } finally {
      await stage.close();
    }
  });

  test('connectionsPerInstanceMax of one instance does not count for another', async (context) => {
    const stage = await stageFor(context, { connectionsPerInstanceMax: LIMIT });
    expect((await openMany(stage, HOST, () => 0)).through.length).toBe(LIMIT);
    expect((await openMany(stage, HOST_TWIN, () => 0)).through.length).toBe(LIMIT);
  });

  test('streamsPerRouteMax, requests and tunnels together', async (context) => {
    const stage = await stageFor(context, { streamsPerRouteMax: LIMIT });
    let [live, highest] = [0, 0];
    stage.web.restart((exchange) => {
      live += 1;
      highest = Math.max(highest, live);
      exchange.connection.socket.once('close', () => {
        live -= 1;
      });
    });
    const clients = await Promise.all(Array.from({ length: OPENS }, () => stage.open()));
    for (const [n, client] of clients.entries()) client.send(n % 2 === 0 ? get('/hold') : handshake());
    const refused = () => clients.filter(({ messages }) => messages.some((message) => statusOf(message) === 503));
    await until('each is held or refused', () => refused().length + live === OPENS, 20_000);
    expect(highest).toBe(LIMIT);
    expect(refused().length).toBe(OPENS - LIMIT);
    // Another route of the same instance is not touched.
    expect(statusOf(await (await stage.open({ servername: HOST_B })).ask(get('/x', '', HOST_B)))).toBe(200);
    for (const client of clients) client.close();
    await until('all are let go', () => live === 0 && stage.sandboxes.case.instance.counters().liveStreamCount === 0);
  });

  test('1,000 refused upgrades leave no socket open', async (context) => {
    const stage = await stageFor(context, {});
    stage.web.restart((exchange) => exchange.respond('no', { status: '403 Forbidden', fields: 'Connection: keep-alive\r\n' }));
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        const client = await stage.open();
        for (let n = 0; n < 100; n++) expect(statusOf(await client.ask(handshake()))).toBe(403);
        client.close();
      }),
    );
    expect(stage.web.requests().length).toBe(1_000);
    await until('no application connection is open', () => stage.web.openCount() === 0, 2_000);
    await until('no client connection is open', () => stage.supervisor.listener.connectionCount() === 0, 2_000);
    expect(stage.sandboxes.case.instance.counters()).toMatchObject({ liveStreamCount: 0, idleAppConnectionCount: 0 });
  });
});
