import { equal, ok } from 'node:assert/strict';
import { connect } from 'node:net';
import { livelyMs } from '@sallyport/process/lively';
import { DEFAULT_LIMITS, TICK_MS } from '@sallyport/proxy';
import { statusOf } from '../stage/message.ts';
import { HOST, type Stage } from '../stage/stage.ts';
import { pause, until } from '../stage/until.ts';
import { checkAnswer } from './expect.ts';
import { get } from './makers.ts';
import { type Row, row } from './row.ts';
import { handshake, last, switched } from './tunnel-makers.ts';

/** The figures of the specification, and the same rules at a twentieth: each wait is many times every limit that could cut it. */
export interface Pace {
  readonly stepMs: number;
  readonly thinkMs: number;
  readonly silenceMs: number;
  readonly cutMs: number;
  readonly limits?: Row['limits'];
}

const CUTS = { handshakeMs: 400, headMs: 400, idleMs: 400, dialMs: 400 };
export const SCALED: Pace = { stepMs: 30, thinkMs: 1_500, silenceMs: 2_000, cutMs: 400 + TICK_MS + 1_000, limits: CUTS };
export const REAL: Pace = { stepMs: 1_000, thinkMs: 25_000, silenceMs: 45_000, cutMs: 90_000 };

const CUT_MS = 90_000;

async function cutHead(stage: Stage, { stepMs, cutMs }: Pace): Promise<void> {
  const client = await stage.open();
  client.send(get('/x').slice(0, -2));
  client.send('X-A: ');
  const startedAt = livelyMs();
  for (; client.over() === 'open' && livelyMs() - startedAt < cutMs; await pause(2 * stepMs)) client.send('a');
  ok(client.over() !== 'open', `not cut within ${cutMs} ms`);
  stage.nothingArrived();
}

async function cutSilent(stage: Stage, { cutMs }: Pace): Promise<void> {
  let closed = false;
  const socket = connect({ host: '127.0.0.1', port: stage.supervisor.listener.port });
  socket
    .on('error', () => {})
    .on('close', () => {
      closed = true;
    });
  await until('the connection is closed', () => closed, cutMs);
}

async function slowUpload(stage: Stage, { stepMs }: Pace): Promise<void> {
  const client = await stage.open();
  client.send(`POST /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 50\r\n\r\n`);
  for (let n = 1; n <= 50; n++) {
    client.write('x');
    await until(`byte ${n} arrives`, () => stage.web.requests()[0]?.bodyBytes === n, 2_000);
    await pause(stepMs);
  }
  checkAnswer(await client.answer(), 200);
}

async function thinks(stage: Stage, { thinkMs }: Pace): Promise<void> {
  stage.web.restart(async (exchange) => {
    await pause(thinkMs);
    exchange.respond('at last');
  });
  const client = await stage.open();
  client.send(get('/x'));
  await until('the answer', () => client.messages.length > 0, thinkMs + 5_000);
  checkAnswer(await client.answer(), 200, 'at last');
}

async function silentTunnel(stage: Stage, { silenceMs }: Pace): Promise<void> {
  stage.web.restart((exchange) => exchange.upgrade(switched()));
  const client = await stage.open();
  equal(statusOf(await client.ask(handshake())), 101);
  const tunnel = client.tunnel();
  await pause(silenceMs);
  client.write('up');
  await until('the frame arrives', () => last(stage)?.tunnel().toString() === 'up');
  last(stage)?.socket.write('down');
  await tunnel.sees('down');
}

async function silentStream(stage: Stage, { silenceMs }: Pace): Promise<void> {
  stage.web.restart(async (exchange) => {
    exchange.send('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n');
    await pause(silenceMs);
    exchange.send('9\r\ndata: 2\n\n\r\n0\r\n\r\n');
  });
  const client = await stage.open();
  client.send(get('/x'));
  await until('the first event', () => client.messages[0]?.body() === 'data: 1\n\n');
  await until('the second event', () => client.messages[0]?.body() === 'data: 1\n\ndata: 2\n\n', silenceMs + 5_000);
  checkAnswer(await client.answer(), 200);
}

async function slowAnswer(stage: Stage, { stepMs }: Pace): Promise<void> {
  const client = await stage.open();
  stage.web.restart(async (exchange) => {
    exchange.send('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n');
    for (let n = 1; n <= 50; n++) {
      exchange.send('x');
      await until(`byte ${n} reaches the client`, () => client.messages[0]?.bodyBytes === n, 2_000);
      await pause(stepMs);
    }
  });
  client.send(get('/x'));
  await until('all of it', () => client.messages[0]?.state === 'whole', 60 * stepMs + 5_000);
  checkAnswer(await client.answer(), 200, 'x'.repeat(50));
}

/** The same cases at either pace. */
export const slowClientsAt = (pace: Pace): readonly Row[] => {
  const paced = (id: string, title: string, run: (stage: Stage, pace: Pace) => Promise<void>): Row =>
    row(id, title, (stage) => run(stage, pace), pace.limits === undefined ? {} : { limits: pace.limits });
  return [
    paced('slow-01', 'a head that grows byte by byte is cut', cutHead),
    paced('slow-04', 'a TCP connection that never says anything is cut', cutSilent),
    paced('slow-06', 'a slow upload is not cut', slowUpload),
    paced('slow-07', 'an application that takes its time to answer', thinks),
    paced('slow-08', 'a tunnel that is silent for long', silentTunnel),
    paced('slow-09', 'an event stream that is silent for long', silentStream),
    paced('slow-12', 'a slow answer is not cut', slowAnswer),
  ];
};

export const slowClients: readonly Row[] = [
  ...slowClientsAt(SCALED),
  // What the scaled rows leave open: that the limits as shipped keep the specification's figures.
  row('slow-n01', 'the limits as shipped cut within 90 s, and nothing that the specification keeps', () => {
    const { handshakeMs, headMs, firstByteMs, streamSilenceMs, tunnelSilenceMs } = DEFAULT_LIMITS;
    ok(handshakeMs + TICK_MS < CUT_MS && headMs + TICK_MS < CUT_MS);
    ok(firstByteMs > REAL.thinkMs && streamSilenceMs > REAL.silenceMs && tunnelSilenceMs > REAL.silenceMs);
    return Promise.resolve();
  }),
  row(
    'slow-n02',
    'a handshake that stops in the middle is cut',
    async (stage) => {
      let closed = false;
      const socket = connect({ host: '127.0.0.1', port: stage.supervisor.listener.port });
      socket
        .on('error', () => {})
        .on('close', () => {
          closed = true;
        });
      socket.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]));
      await until('the connection is closed', () => closed, SCALED.cutMs);
    },
    { limits: CUTS },
  ),
  row(
    'slow-n03',
    'a handshake that sends a byte now and then is cut',
    async (stage) => {
      let closed = false;
      const socket = connect({ host: '127.0.0.1', port: stage.supervisor.listener.port, noDelay: true });
      socket
        .on('error', () => {})
        .on('close', () => {
          closed = true;
        });
      const startedAt = livelyMs();
      for (const byte of [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, ...Array.from({ length: 200 }, () => 0)]) {
        if (closed || livelyMs() - startedAt > SCALED.cutMs) break;
        socket.write(Buffer.of(byte));
        await pause(50);
      }
      ok(closed);
    },
    { limits: CUTS },
  ),
  row(
    'slow-n04',
    'the second head of a connection is cut too',
    async (stage) => {
      const client = await stage.open();
      checkAnswer(await client.ask(get('/1')), 200);
      client.send(get('/2').slice(0, 10));
      equal(statusOf(await client.answer()), 408);
      await client.isOver(3_000);
    },
    { limits: CUTS },
  ),
  row(
    'slow-n05',
    'one byte of a line end between two requests does not keep a connection for ever',
    async (stage) => {
      const client = await stage.open();
      checkAnswer(await client.ask(get('/1')), 200);
      client.write('\r');
      await client.isOver(SCALED.cutMs);
    },
    { limits: CUTS },
  ),
  row(
    'slow-n06',
    'an upload that stands still while the application waits for it is ended',
    async (stage) => {
      stage.web.restart((exchange) => exchange.whole());
      const client = await stage.open();
      client.send(`POST /x HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 50\r\n\r\nhello`);
      await client.isOver(4_000);
      await until('the application sees it', () => stage.web.openCount() === 0);
    },
    { limits: { streamSilenceMs: 500 } },
  ),
];
