import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFollower, type Follower, type WatchMessage } from '@sallyport/catalog';
import type { Failure } from '@sallyport/model';
import { createLog, createMetrics, type Metrics, type Process } from '@sallyport/process';
import { createManualClock } from '@sallyport/process/manual-clock';
import { createMemoryStore } from '@sallyport/store';
import {
  createSigningKey,
  discoveryV1,
  type Link,
  openLink,
  openSigningKeys,
  openStream,
  openTlsFiles,
  type PublishedRecord,
  type Role,
  readWatchResponse,
  signOperatorToken,
} from '@sallyport/wire';
import { createTestAuthority } from '@sallyport/wire/testing';
import { type Discovery, wire } from '../wire.ts';
import { createPublisher, plain } from './publication.ts';

/** 50 s of the clock. */
const DRIVE_TURNS_MAX = 1_000;

/** Discovery replicas over real gRPC and TLS, on one store in memory and one clock that the test moves. */
export async function createStage() {
  const authority = await createTestAuthority();
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-discovery-'));
  writeFileSync(join(directory, '1.jwk'), (await createSigningKey()).privateJwk);
  const keys = await openSigningKeys(directory);
  const ca = await openTlsFiles({ caFile: authority.caFile });
  if (!keys.ok || !ca.ok) throw new Error('no keys');
  const clock = createManualClock();
  const memory = createMemoryStore({ clock });
  const closing: (() => Promise<void> | void)[] = [];

  return {
    clock,
    memory,
    directory,
    authority,
    publisher: createPublisher(memory.connect()),
    tokenOf: (role: unknown, principal = 'ann', lifetimeMs = 600_000): Promise<string> =>
      signOperatorToken(keys.value, { principal, role: role as Role }, lifetimeMs, new Date()),
    async start(id: string, config: object = {}): Promise<Replica> {
      const metrics = createMetrics();
      const process: Process = {
        clock,
        metrics,
        log: createLog({ level: 'silent' }),
        randomId: () => id,
        stopping: new AbortController().signal,
        admin: { host: '127.0.0.1', port: 0 },
      };
      const store = memory.connect();
      const discovery = await wire(
        plain({
          listen: { host: '127.0.0.1', port: 0 },
          urlPort: 8443,
          signingKeys: directory,
          trustDomain: 'acme.test',
          tls: await authority.issue(id, {
            uris: [`spiffe://acme.test/discovery/${id}`],
            dnsNames: ['localhost'],
            ipAddresses: ['127.0.0.1'],
          }),
          listenTls: {},
          limits: { streamsMax: 20, opensPerSecondMax: 1_000, backlogBytesMax: 1_000_000 },
          jwt: {},
          ...config,
        }),
        process,
        { store },
      );
      const link = openLink({
        target: `127.0.0.1:${discovery.address.port}`,
        tls: ca.value,
        showsCertificate: false,
        server: { kind: 'host-name' },
      });
      closing.unshift(() => discovery.drain(AbortSignal.abort()));
      closing.unshift(() => link.close());
      return { discovery, link, metrics, store };
    },
    /** Follows a replica as a client does, by the one clock. */
    watch(replica: Replica, bearer: string, follower = createFollower<PublishedRecord>(), workspaces?: string[]): Watcher {
      const stream = openStream(replica.link, discoveryV1.DiscoveryServiceService.watch, { bearer });
      const start = follower.opened(clock.now());
      stream.send({ request: { $case: 'start', value: { resumeToken: start.resumeToken, workspaces: workspaces ?? [] } } });
      const messages: WatchMessage<PublishedRecord>[] = [];
      let failure: Failure | undefined;
      let isOver = false;
      let news = (): void => undefined;
      const read = async (): Promise<void> => {
        for await (const response of stream.received) {
          const sent = readWatchResponse(response);
          if (!sent.ok) throw new Error(sent.error.message);
          messages.push(sent.value.message);
          follower.received(sent.value, clock.now());
          news();
        }
        failure = await stream.closed;
        follower.closed(failure?.kind, clock.now());
        isOver = true;
        news();
      };
      void read();
      return {
        follower,
        messages,
        hosts: () => [...follower.records(clock.now())].map(({ host }) => host).sort(),
        failure: () => failure,
        send: (request) => stream.send({ request }),
        ping: () => stream.send({ request: { $case: 'ping', value: { id: follower.ping(clock.now()) } } }),
        async until(holds) {
          while (!holds()) {
            if (isOver) throw new Error(`the stream is over: ${failure?.kind} ${failure?.message}`);
            await new Promise<void>((resolve) => {
              news = resolve;
            });
          }
        },
        async over() {
          while (!isOver) {
            await new Promise<void>((resolve) => {
              news = resolve;
            });
          }
          return failure;
        },
        end: () => stream.fail({ kind: 'not-ready', message: 'enough' }),
      };
    },
    /** Moves the clock on, in steps that leave time for the network, until it holds. */
    async drive(holds: () => boolean): Promise<void> {
      for (let turn = 0; !holds(); turn += 1) {
        if (turn === DRIVE_TURNS_MAX) throw new Error('it never came to hold');
        await clock.advanceAsync(50);
      }
    },
    async close() {
      for (const act of closing) await act();
      keys.value.close();
      ca.value.close();
      authority.remove();
      rmSync(directory, { recursive: true });
    },
  };
}

export interface Replica {
  readonly discovery: Discovery;
  readonly link: Link;
  readonly metrics: Metrics;
  readonly store: ReturnType<ReturnType<typeof createMemoryStore>['connect']>;
}

export interface Watcher {
  readonly follower: Follower<PublishedRecord>;
  readonly messages: WatchMessage<PublishedRecord>[];
  hosts(): string[];
  failure(): Failure | undefined;
  send(request: discoveryV1.WatchRequest['request']): boolean;
  ping(): boolean;
  /** Waits for messages until it holds; throws when the stream is over before. */
  until(holds: () => boolean): Promise<void>;
  over(): Promise<Failure | undefined>;
  end(): void;
}
