// Tunnels and readers of events, which no tool of the kind of wrk has. One process, so that what it costs is the same for all.
import { randomBytes } from 'node:crypto';
import { connect as connectTcp } from 'node:net';
import { connect, createSecureContext, type TLSSocket } from 'node:tls';
import { frameHead } from '../application/echo.ts';
import type { Job, Told } from './work.ts';

/** Handshakes under way at once: more only wait for each other. */
const OPENING_MAX = 32;
const MARK = '~'.charCodeAt(0);

/** Whoever asked may have given up meanwhile; then nobody wants to know. */
const tell = (told: Told): void => void process.send?.(told, undefined, undefined, () => {});
let goOn = (): void => {};

/** Resolves once the head of the answer is here. */
function open({ host, port }: Job, context: ReturnType<typeof createSecureContext>, path: string): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, servername: host, secureContext: context });
    const isTunnel = path === '/echo';
    let head = '';
    const onData = (chunk: Buffer): void => {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      socket.removeListener('data', onData);
      socket.removeListener('close', onClose);
      if (head.startsWith(`HTTP/1.1 ${isTunnel ? 101 : 200}`)) resolve(socket);
      else reject(new Error(`${path} answered ${head.slice(0, 40).split('\r')[0]}`));
    };
    const onClose = (): void => reject(new Error(`${path}: a connection was closed`));
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('data', onData);
    socket.on('close', onClose);
    const asked = isTunnel
      ? `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n`
      : 'Accept: text/event-stream\r\n';
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${asked}\r\n`);
  });
}

async function openAll(job: Job, path: string, opened: TLSSocket[]): Promise<void> {
  const context = createSecureContext({ ca: job.ca });
  let left = job.work.count;
  const opener = async (): Promise<void> => {
    while (left-- > 0) opened.push(await open(job, context, path));
  };
  await Promise.all(Array.from({ length: OPENING_MAX }, opener));
}

/** Runs for some seconds; `work` counts what it does through the function that it is given. */
function timed(seconds: number, work: (count: () => void, running: () => boolean) => void): Promise<Told> {
  return new Promise((resolve) => {
    let [count, running] = [0, true];
    const startedAt = performance.now();
    setTimeout(() => {
      running = false;
      resolve({ kind: 'done', count, us: Math.round((performance.now() - startedAt) * 1_000) });
    }, seconds * 1_000);
    work(
      () => count++,
      () => running,
    );
  });
}

function echo(sockets: readonly TLSSocket[], bytes: number, seconds: number): Promise<Told> {
  const message = Buffer.concat([frameHead(bytes, true), Buffer.alloc(bytes, 'x')]);
  const answerBytes = frameHead(bytes, false).length + bytes;
  return timed(seconds, (count, running) => {
    for (const socket of sockets) {
      let left = answerBytes;
      socket.on('data', (chunk: Buffer) => {
        left -= chunk.length;
        if (left > 0) return;
        left = answerBytes;
        count();
        if (running()) socket.write(message);
      });
      socket.write(message);
    }
  });
}

function events(sockets: readonly TLSSocket[], appPort: number, seconds: number): Promise<Told> {
  const control = connectTcp({ host: '127.0.0.1', port: appPort, noDelay: true });
  return timed(seconds, (count, running) => {
    let left = 0;
    const next = (): void => {
      left = sockets.length;
      if (running()) control.write('GET /broadcast HTTP/1.1\r\nHost: app\r\n\r\n');
      else control.destroy();
    };
    control.resume();
    for (const socket of sockets)
      socket.on('data', (chunk: Buffer) => {
        if (!chunk.includes(MARK)) return;
        count();
        left -= 1;
        if (left === 0) next();
      });
    next();
  });
}

async function run(job: Job): Promise<void> {
  const { work } = job;
  const toldToGoOn = new Promise<void>((resolve) => (goOn = resolve));
  const sockets: TLSSocket[] = [];
  try {
    await openAll(job, work.kind === 'events' ? '/events' : '/echo', sockets);
    tell({ kind: 'opened' });
    await toldToGoOn;
    let told: Told = { kind: 'done', count: sockets.length, us: 0 };
    if (work.kind === 'echo') told = await echo(sockets, work.bytes, work.seconds);
    if (work.kind === 'events') told = await events(sockets, job.appPort, work.seconds);
    tell(told);
  } catch (error) {
    tell({ kind: 'failed', reason: (error as Error).message });
  }
  for (const socket of sockets) socket.destroy();
}

process.on('message', (message: Job | 'go-on') => {
  if (message === 'go-on') goOn();
  else void run(message);
});
process.on('disconnect', () => process.exit(0));
