import { connect, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { createFollower, type TombstoneReason, type WatchMessage } from '@sallyport/catalog';
import { livelyMs } from '@sallyport/process/lively';
import { createManualClock, type ManualClock } from '@sallyport/process/manual-clock';
import { type CidrSet, NO_CIDRS } from '@sallyport/proxy';
import type { PublishedRecord } from '@sallyport/wire';
import { type Door, openDoor } from '../door.ts';
import { DEFAULT_LIMITS, type Limits } from '../limits.ts';
import { createPublished } from '../published.ts';
import type { PassageRecord, RefusalRecord } from '../surroundings.ts';
import { recordOf } from './records.ts';

/** An edge's door with real sockets, records that a test says, and a clock that it drives. */
export interface Stage {
  readonly clock: ManualClock;
  readonly door: Door;
  readonly refused: RefusalRecord[];
  readonly ended: PassageRecord[];
  readonly dialFaults: string[];
  /** How often a connection began to wait for a record. */
  waitCount(): number;
  /** Bytes from clients, as counted at the last tick. */
  passedIn(): number;
  say(message: WatchMessage<PublishedRecord>): void;
  /** Publishes the host at this port, alone or beside what there is. */
  publish(name: string, port: number, options?: { readonly ttlMs?: number; readonly ownerEpoch?: bigint }): void;
  remove(name: string, reason: TombstoneReason): void;
  renew(ttlMs: number): void;
  /** A TCP client of the door. */
  connect(): Client;
  close(): Promise<void>;
}

export interface StageOptions {
  readonly limits?: Partial<Limits>;
  readonly trusted?: CidrSet;
  readonly sendsProxy?: boolean;
  /** Without it the edge knows, from a snapshot, that nothing is published. */
  readonly knowsNothing?: boolean;
}

export const hostOf = (name: string): string => `${name}.apps.test`;

export async function startStage(options: StageOptions = {}): Promise<Stage> {
  const clock = createManualClock();
  const follower = createFollower<PublishedRecord>();
  const published = createPublished(follower);
  let waitCount = 0;
  let passedIn = 0;
  const refused: RefusalRecord[] = [];
  const ended: PassageRecord[] = [];
  const dialFaults: string[] = [];
  const clients: Client[] = [];
  const door = await openDoor({
    listen: { host: '127.0.0.1', port: 0 },
    clock,
    monotonicMs: clock.steadyMs,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    published: {
      ...published,
      await(host, waiting) {
        waitCount += 1;
        published.await(host, waiting);
      },
    },
    trusted: options.trusted ?? NO_CIDRS,
    sendsProxy: options.sendsProxy ?? false,
    observer: {
      refused: (record) => refused.push(record),
      reached: () => undefined,
      ended: (record) => ended.push(record),
      dialFailed: (fault) => dialFaults.push(fault),
      acceptFailed: () => undefined,
      passed(bytesIn) {
        passedIn += bytesIn;
      },
    },
  });
  follower.opened(clock.now());
  let token = 0;
  const say = (message: WatchMessage<PublishedRecord>): void =>
    published.apply(follower.received({ pingId: follower.ping(clock.now()), message }, clock.now()), clock.now());
  const cancel = clock.every(250, () => published.apply(follower.passed(clock.now()), clock.now()));
  if (options.knowsNothing !== true) say({ kind: 'snapshot', pages: [], removed: [], token: '0' });

  const change = (part: Pick<Extract<WatchMessage<PublishedRecord>, { kind: 'delta' }>, 'tombstones' | 'upserts'>): void => {
    token += 1;
    say({ kind: 'delta', from: String(token - 1), to: String(token), ...part });
  };
  return {
    clock,
    door,
    refused,
    ended,
    dialFaults,
    waitCount: () => waitCount,
    passedIn: () => passedIn,
    say,
    publish: (name, port, { ttlMs = 13_000, ownerEpoch = 1n } = {}) =>
      change({ tombstones: [], upserts: [{ record: recordOf(hostOf(name), port, ownerEpoch), ttlMs }] }),
    remove: (name, reason) => change({ tombstones: [{ recordId: `sb/${hostOf(name)}`, reason }], upserts: [] }),
    renew: (ttlMs) => say({ kind: 'renew', floors: [{ renewedBy: 'gw.1', ttlMs }], singles: [], isLast: true }),
    connect() {
      const client = clientOf(connect({ host: '127.0.0.1', port: door.address.port, allowHalfOpen: true }));
      clients.push(client);
      return client;
    },
    async close() {
      cancel();
      for (const { socket } of clients) socket.destroy();
      await door.drain(AbortSignal.abort());
    },
  };
}

export interface Client {
  readonly socket: Socket;
  /** All that has come. */
  bytes(): Buffer;
  isClosed(): boolean;
  hasEnded(): boolean;
  /** The code of the error that it ended with. */
  error(): string | undefined;
}

export function clientOf(socket: Socket): Client {
  const chunks: Buffer[] = [];
  let ended = false;
  let error: string | undefined;
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('end', () => {
    ended = true;
  });
  socket.on('error', (fault: NodeJS.ErrnoException) => {
    error = fault.code;
  });
  return {
    socket,
    bytes: () => Buffer.concat(chunks),
    isClosed: () => socket.destroyed,
    hasEnded: () => ended,
    error: () => error,
  };
}

/** Stands for a supervisor: takes whatever comes; what it does with it, the test says. */
export interface Upstream {
  readonly port: number;
  readonly accepted: Client[];
  close(): Promise<void>;
}

export async function startUpstream(onConnection: (client: Client) => void = () => undefined): Promise<Upstream> {
  const accepted: Client[] = [];
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    const client = clientOf(socket);
    accepted.push(client);
    onConnection(client);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  return {
    port,
    accepted,
    close: () =>
      new Promise((closed) => {
        for (const { socket } of accepted) socket.destroy();
        server.close(() => closed());
      }),
  };
}

/** A client of TLS over the door; resolves with how the handshake came out. */
export function handshake(port: number, servername: string | undefined, ca: string): Promise<TLSSocket | string> {
  return new Promise((resolve) => {
    const socket = connectTls({ host: '127.0.0.1', port, ca, ...(servername === undefined ? {} : { servername }) });
    socket.once('secureConnect', () => resolve(socket));
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

/** Waits for a condition, not for a time; the limit only turns a hang into a failure that says what was awaited. */
export async function until(what: string, holds: () => boolean, limitMs = 30_000): Promise<void> {
  const deadline = livelyMs() + limitMs;
  while (!holds()) {
    if (livelyMs() > deadline) throw new Error(`waited ${limitMs} ms for: ${what}`);
    await turn();
  }
}
