import { describe, expect, type TestContext, test } from 'vitest';
import { get } from '../http-cases/makers.ts';
import { handshake, switched } from '../http-cases/tunnel-makers.ts';
import { type App, startApp } from '../stage/app.ts';
import { type Client, connectTls } from '../stage/client.ts';
import { fieldOf, statusOf } from '../stage/message.ts';
import { HOST } from '../stage/stage.ts';
import { pause, until } from '../stage/until.ts';
import { type SupervisorChild, startSupervisorChild } from './start-child.ts';

const TEST_MS = 120_000;

interface Scene {
  readonly supervisor: SupervisorChild;
  readonly app: App;
  open(): Promise<Client>;
}

async function openScene({ onTestFinished }: TestContext, drainMs: number): Promise<Scene> {
  const [supervisor, app] = await Promise.all([startSupervisorChild({ drainMs }), startApp('web')]);
  onTestFinished(async () => {
    supervisor.kill('SIGKILL');
    await app.close();
  });
  await supervisor.serve('case', { web: app.port });
  return { supervisor, app, open: () => connectTls(supervisor.port, { servername: HOST, ca: supervisor.ca }) };
}

describe.concurrent('drain on SIGTERM', () => {
  test(
    'idle connections end at once, an answer under way ends whole, then the process ends with 0',
    async (context) => {
      const { supervisor, app, open } = await openScene(context, 20_000);
      let finish = (): void => {};
      app.restart((exchange) => {
        exchange.send('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n');
        finish = () => exchange.send('6\r\n world\r\n0\r\n\r\n');
      });
      const [idle, busy] = [await open(), await open()];
      busy.send(get('/x'));
      await until('the answer begins', () => busy.messages[0]?.body() === 'hello');
      supervisor.kill('SIGTERM');
      await idle.isOver(5_000);
      expect(idle.over()).toBe('ended');
      await expect(open()).rejects.toThrow();
      expect(busy.over()).toBe('open');
      expect(supervisor.ended()).toBe(undefined);
      finish();
      const answer = await busy.answer();
      expect([answer.state, answer.body()]).toEqual(['whole', 'hello world']);
      await busy.isOver(5_000);
      for (const client of [idle, busy]) client.close();
      for (const client of [idle, busy]) client.close();
      await until('the process ends', () => supervisor.ended() !== undefined);
      expect(supervisor.ended()).toBe(0);
    },
    TEST_MS,
  );

  test(
    'a request that comes in the drain on an open connection is the last one there',
    async (context) => {
      const { supervisor, app, open } = await openScene(context, 20_000);
      const client = await open();
      const waiting = await open();
      let answerFirst = (): void => {};
      app.restart((exchange) => {
        if (exchange.order === 0) answerFirst = () => exchange.respond('first');
        else exchange.respond('second');
      });
      client.send(get('/1'));
      await until('it is under way', () => app.requests().length === 1);
      supervisor.kill('SIGTERM');
      await waiting.isOver(5_000);
      client.send(get('/2'));
      answerFirst();
      const answer = await client.answer();
      expect([statusOf(answer), fieldOf(answer, 'connection')]).toEqual([200, 'close']);
      await client.isOver(5_000);
      for (const each of [client, waiting]) each.close();
      expect(app.requests().length).toBe(1);
      await until('the process ends', () => supervisor.ended() !== undefined);
      expect(supervisor.ended()).toBe(0);
    },
    TEST_MS,
  );

  test(
    'what is still open when the grace is over is ended: a tunnel closed, a stream unfinished',
    async (context) => {
      const { supervisor, app, open } = await openScene(context, 4_000);
      app.restart((exchange) => {
        if (exchange.target === '/x/ws') exchange.upgrade(switched());
        else exchange.send('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n');
      });
      const [tunnel, stream] = [await open(), await open()];
      expect(statusOf(await tunnel.ask(handshake()))).toBe(101);
      stream.send(get('/x'));
      await until('the stream begins', () => stream.messages[0]?.body() === 'hello');
      supervisor.kill('SIGTERM');
      await pause(200);
      expect([tunnel.over(), stream.over()]).toEqual(['open', 'open']);
      await until('both are ended', () => tunnel.over() !== 'open' && stream.over() !== 'open');
      expect(stream.messages[0]?.state).toBe('unfinished');
      await until('the application is left', () => app.openCount() === 0);
      await until('the process ends', () => supervisor.ended() !== undefined);
      expect(supervisor.ended()).toBe(0);
    },
    TEST_MS,
  );
});
