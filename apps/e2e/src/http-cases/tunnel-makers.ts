import { equal, ok } from 'node:assert/strict';
import { livelyMs } from '@sallyport/process/lively';
import type { Exchange } from '../stage/app.ts';
import type { Client, Tunnel } from '../stage/client.ts';
import { fieldOf, type Message } from '../stage/message.ts';
import { HOST, type Stage } from '../stage/stage.ts';
import { until } from '../stage/until.ts';
import { checkAnswer, checkSeen } from './expect.ts';
import { get } from './makers.ts';
import { PARSED, type Row, row } from './row.ts';

export const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
export const ACCEPT = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=';
export const BASE = `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${KEY}\r\n`;
export const handshake = (fields = '', target = '/x/ws', host: string = HOST): string =>
  get(target, `Connection: Upgrade\r\nUpgrade: websocket\r\n${BASE}${fields}`, host);
export const switched = (fields = ''): string =>
  `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${ACCEPT}\r\n${fields}\r\n`;
/** A masked frame of two bytes, and an unmasked one. */
export const UP = '\x81\x82\x00\x00\x00\x00hi';
export const DOWN = '\x81\x02hi';
export const SECOND_MS = 1_700;
export const WAYS = ['whole', 'single-bytes', 'second', 'tls-1.2'] as const;

export const acceptAll = (exchange: Exchange): void => exchange.upgrade(switched());

export async function openTunnel(
  stage: Stage,
  bytes = handshake(),
): Promise<{ client: Client; tunnel: Tunnel; answer: Message }> {
  const client = await stage.open();
  const answer = await client.ask(bytes);
  equal(answer.startLine, 'HTTP/1.1 101 Switching Protocols');
  return { client, answer, tunnel: client.tunnel() };
}

export const last = (stage: Stage) => stage.web.connections.at(-1);
export async function passesBothWays(stage: Stage, client: Client, tunnel: Tunnel): Promise<void> {
  client.send(UP);
  await until('the application reads the frame', () => last(stage)?.tunnel().toString('latin1').endsWith(UP) === true);
  last(stage)?.socket.write(DOWN, 'latin1');
  await tunnel.sees(DOWN);
}

/** The application refuses the handshake: its answer reaches the client, and nothing stays half open. */
export const refusal = (id: string, title: string, bytes: string, check: (answer: Message) => void): Row =>
  row(
    id,
    title,
    async (stage) => {
      stage.web.restart((exchange) => (exchange.target === '/x/ws' ? exchange.send(bytes) : exchange.respond('usable')));
      const client = await stage.open();
      const askedAt = livelyMs();
      const answer = await client.ask(handshake());
      ok(livelyMs() - askedAt < 2_000);
      equal(answer.state, 'whole');
      check(answer);
      await until('its connection is not kept', () => stage.web.openCount() === 0, 2_000);
      checkAnswer(await client.ask(get('/x')), 200, 'usable');
    },
    { ways: ['whole', 'single-bytes', 'second'] },
  );

/** No upgrade that we let through: goes on as plain HTTP, to an application that would switch to anything. */
export const plain = (id: string, title: string, bytes: string): Row =>
  row(
    id,
    title,
    async (stage) => {
      stage.web.restart((exchange) => {
        if (fieldOf(exchange.request, 'upgrade') !== undefined) exchange.upgrade(switched());
        else exchange.respond('plain');
      });
      const client = await stage.open();
      checkAnswer(await client.ask(bytes), 200, 'plain');
      equal(stage.web.requests().length, 1);
      checkSeen(stage.web.requests()[0], { lacks: ['upgrade', 'http2-settings'] });
    },
    { ways: PARSED },
  );

export const names = (request: Message): string[] =>
  request.fields.map(([name]) => name).filter((name) => !/^(host|x-forwarded-)/i.test(name));
