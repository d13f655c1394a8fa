import { fail } from 'node:assert/strict';
import type { CidrSet, Limits } from '@sallyport/proxy';
import { type App, deadPort, echo, startApp } from './app.ts';
import { testCertificates } from './certificate.ts';
import { type Client, type ConnectOptions, connectTls } from './client.ts';
import { statusOf, targetOf } from './message.ts';
import { hostNamed, type Sandbox, type Supervisor, startSupervisor } from './supervisor.ts';
import { until } from './until.ts';

/** How the bytes of a case travel. */
export type Way = 'whole' | 'single-bytes' | 'second' | 'tls-1.2';

/** `team/case/web`, called A. */
export const HOST = hostNamed('case', 'web');
/** `team/case/api`, another service of the same sandbox. */
export const HOST_B = hostNamed('case', 'api');
/** Another sandbox whose service is the same application port as A's. */
export const HOST_TWIN = hostNamed('twin', 'web');
/** No service part. */
export const HOST_SOLO = hostNamed('solo', '');
/** Nothing listens. */
export const HOST_DEAD = hostNamed('dead', 'web');
/** A name of the domain that no service has. */
export const HOST_NOBODY = hostNamed('nobody', 'web');

/** A whole setting of its own for one case, so that cases run side by side and see nothing of each other. */
export interface Stage {
  readonly way: Way;
  /** The application behind A (and behind the twin). */
  readonly web: App;
  /** Behind B. */
  readonly api: App;
  readonly solo: App;
  readonly supervisor: Supervisor;
  readonly sandboxes: Readonly<Record<'case' | 'twin' | 'solo' | 'dead', Sandbox>>;
  readonly deadPort: number;
  /** A connection on which the case's bytes are sent in its way; by default with the server name of A. */
  open(options?: ConnectOptions): Promise<Client>;
  /** Fails unless not one byte of this case reached an application. */
  nothingArrived(): void;
  /** What must be so after every case. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export interface StageOptions {
  readonly way?: Way;
  readonly limits?: Partial<Limits> | undefined;
  readonly trusted?: CidrSet;
}

const FIRST = `GET /first HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;

export async function openStage({ way = 'whole', limits, ...others }: StageOptions = {}): Promise<Stage> {
  const { certificates, authority } = await testCertificates();
  const [supervisor, web, api, solo, unused] = await Promise.all([
    startSupervisor({ certificates, limits, ...others }),
    startApp('web'),
    startApp('api'),
    startApp('solo'),
    deadPort(),
  ]);
  const sandboxes = {
    case: supervisor.sandbox('case', { web: web.port, api: api.port }),
    twin: supervisor.sandbox('twin', { web: web.port }),
    solo: supervisor.sandbox('solo', { '': solo.port }),
    dead: supervisor.sandbox('dead', { web: unused }),
  };
  const apps = [web, api, solo];
  const clients: Client[] = [];

  async function connect(options: ConnectOptions): Promise<Client> {
    const client = await connectTls(supervisor.listener.port, { ca: authority.certPem, ...options });
    clients.push(client);
    return client;
  }

  async function open(options: ConnectOptions = {}): Promise<Client> {
    const version = way === 'tls-1.2' ? ({ maxVersion: 'TLSv1.2' } as const) : {};
    const client = await connect({ servername: HOST, singleBytes: way === 'single-bytes', ...version, ...options });
    if (way !== 'second' || (options.servername ?? HOST) !== HOST) return client;
    const scripts = web.script;
    web.restart(echo('web'));
    const first = await client.ask(FIRST);
    if (first.body() !== 'web GET /first') fail(`the first request of the connection got ${first.startLine}`);
    web.restart(scripts);
    return client;
  }

  async function answersNext(): Promise<void> {
    const client = await connect({ servername: HOST });
    const answer = await client.ask(`GET /next HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
    if (statusOf(answer) !== 200 || answer.body() !== 'web GET /next')
      fail(`the next request got ${answer.head}${answer.body()}`);
    client.close();
  }

  const liveStreams = (): number => supervisor.instances.all().reduce((sum, each) => sum + each.counters().liveStreamCount, 0);

  return {
    way,
    web,
    api,
    solo,
    supervisor,
    sandboxes,
    deadPort: unused,
    open,
    nothingArrived() {
      for (const app of apps)
        if (app.bytesSeen() > 0) fail(`${app.name} got ${JSON.stringify(app.connections.at(-1)?.bytes().slice(0, 400))}`);
    },
    async settle() {
      const hidden = apps.flatMap((app) => app.requests()).find((request) => targetOf(request).includes('SMUGGLED'));
      if (hidden !== undefined) fail(`a hidden request was executed: ${hidden.head}`);
      for (const app of apps) {
        const fault = app.faults()[0];
        if (fault !== undefined) fail(`what reached ${app.name} is no plain HTTP: ${fault}`);
      }
      const early = supervisor.records.find(({ durationMs }) => durationMs < 0);
      if (early !== undefined) fail(`an exchange that ended before it began: ${JSON.stringify(early)}`);
      web.restart(echo('web'));
      await answersNext();
      for (const client of clients) client.close();
      await until('no exchange is left', () => liveStreams() === 0, 2_000);
      await until('no client connection is left', () => supervisor.listener.connectionCount() === 0, 2_000);
    },
    async close() {
      for (const client of clients) client.close();
      await Promise.all([supervisor.stop(), ...apps.map((app) => app.close())]);
    },
  };
}
