import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import type { BoundaryClaims, FenceOrder } from '@sallyport/authority';
import { createClock, createLog, createMetrics, type Metrics, nodeMachine, type Process, randomId } from '@sallyport/process';
import { createSigningKey, openSigningKeys, type SigningKeys, signBoundaryToken, signFence } from '@sallyport/wire';
import { createTestAuthority, type TestAuthority } from '@sallyport/wire/testing';
import { readConfig } from '../config.ts';
import { type BoundaryServer, wire } from '../wire.ts';

/** A real boundary over real TLS, an application behind it, and whoever may or may not come to it. */

export const TRUST_DOMAIN = 'sallyport.local';
/** Who comes: an app's certificate, one of a CA that nobody trusts, or none. */
export type Who = 'supervisor' | 'gateway' | 'edge' | 'boundary' | 'stranger' | 'nobody';

/** What the application has been sent, and its connections. */
export interface App {
  readonly port: number;
  received(): number;
  readonly sockets: Set<Socket>;
  /** False: it takes connections and reads nothing. */
  reads(does: boolean): void;
}

export interface Answer {
  readonly status: number;
  readonly refusal: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Stage {
  readonly boundary: BoundaryServer;
  readonly app: App;
  readonly ca: Buffer;
  readonly metrics: Metrics;
  /** What it has logged, at every level. */
  readonly lines: readonly string[];
  /** The boundary's clock goes ahead, as after a suspension: what is due has not been tidied up yet. */
  leap(ms: number): void;
  ask(method: string, path: string, body?: string, who?: Who): Promise<Answer>;
  nonce(): Promise<string>;
  token(changes?: Partial<BoundaryClaims>, keys?: SigningKeys): Promise<string>;
  fence(changes?: Partial<FenceOrder>): Promise<string>;
  /** CONNECT, to its answer. */
  open(token: string | undefined, target?: string, who?: Who): Promise<{ readonly socket: TLSSocket; readonly head: string }>;
  dial(who: Who, before?: (socket: TLSSocket) => void): TLSSocket;
  /** Says just this, as a supervisor, and waits for the end. What came until then, latin1. */
  say(bytes: string | Buffer): Promise<string>;
  close(): Promise<void>;
}

const material = async (authority: TestAuthority, path: string) => {
  const files = await authority.issue(path.replaceAll('/', '-'), { uris: [`spiffe://${TRUST_DOMAIN}/${path}`] });
  return { files, pems: { cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) } };
};

async function startApp(): Promise<{ readonly app: App; readonly server: Server }> {
  const sockets = new Set<Socket>();
  let received = 0;
  let reads = true;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    if (!reads) return;
    socket.on('data', (chunk) => {
      received += chunk.length;
      socket.write(chunk);
    });
    socket.on('end', () => socket.end('bye'));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  const app: App = {
    port,
    sockets,
    received: () => received,
    reads(does) {
      reads = does;
    },
  };
  return { app, server };
}

export async function startStage(args: readonly string[] = []): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-boundary-'));
  const authority = await createTestAuthority();
  const strangers = await createTestAuthority();
  const keysIn = async (name: string, text: string): Promise<{ path: string; keys: SigningKeys }> => {
    const path = join(folder, name);
    mkdirSync(path);
    writeFileSync(join(path, '1.jwk'), text);
    const keys = await openSigningKeys(path);
    if (!keys.ok) throw new Error(keys.error);
    return { path, keys: keys.value };
  };
  const key = await createSigningKey();
  const signer = await keysIn('private', key.privateJwk);
  const verifier = await keysIn('public', key.publicJwk);
  verifier.keys.close();
  const own = await material(authority, 'boundary/r0');
  const { app, server } = await startApp();

  let ahead = 0;
  const clock = createClock({
    read: () => ({ monotonicMs: performance.now() + ahead, wallMs: Date.now() + ahead }),
    wake: nodeMachine.wake,
  });
  const lines: string[] = [];
  const metrics = createMetrics();
  const process: Process = {
    clock,
    log: createLog({ level: 'debug', destination: { write: (line) => void lines.push(line) } }),
    metrics,
    randomId,
    stopping: new AbortController().signal,
    admin: { host: '127.0.0.1', port: 1 },
  };
  const reading = readConfig({
    env: {},
    args: [
      '--boundary-listen=127.0.0.1:0',
      `--verify-keys=${verifier.path}`,
      `--internal-ca-file=${own.files.caFile}`,
      `--internal-cert-file=${own.files.certFile}`,
      `--internal-key-file=${own.files.keyFile}`,
      ...args,
    ],
  });
  if (reading.kind !== 'read') throw new Error(JSON.stringify(reading));
  const boundary = await wire(reading.config, process);
  const ca = readFileSync(authority.caFile);
  const identities: Record<Who, object> = {
    supervisor: (await material(authority, 'supervisor/s1')).pems,
    gateway: (await material(authority, 'gateway/g1')).pems,
    edge: (await material(authority, 'edge/e1')).pems,
    boundary: (await material(authority, 'boundary/r1')).pems,
    stranger: (await material(strangers, 'supervisor/s1')).pems,
    nobody: {},
  };
  const where = (who: Who) => ({
    host: '127.0.0.1',
    port: boundary.address.port,
    ca,
    servername: 'boundary',
    checkServerIdentity: () => undefined,
    ...identities[who],
  });

  const stage: Stage = {
    boundary,
    app,
    ca,
    metrics,
    lines,
    leap: (ms) => {
      ahead += ms;
    },
    ask: (method, path, body = '', who = 'supervisor') =>
      new Promise((resolve, reject) => {
        const sent = request({ ...where(who), agent: false, method, path }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              refusal: response.headers['sallyport-boundary'] as string | undefined,
              body: text === '' ? {} : (JSON.parse(text) as Answer['body']),
            }),
          );
        });
        sent.on('error', reject);
        sent.end(body);
      }),
    async nonce() {
      const { body } = await stage.ask('POST', '/nonce');
      return String(body.nonce);
    },
    async token(changes = {}, keys = signer.keys) {
      const claims = {
        sandboxId: 'sb',
        generation: 'g1',
        runtimeId: 'r0',
        ownerEpoch: 7n,
        memberId: 'm0',
        mode: 'shared',
        ports: [app.port],
        ...(changes.nonce === undefined ? { nonce: await stage.nonce() } : {}),
        ...changes,
      };
      return signBoundaryToken(keys, claims as never);
    },
    fence: (changes = {}) =>
      signFence(signer.keys, {
        sandboxId: 'sb',
        generation: 'g1',
        runtimeId: 'r0',
        epoch: 8n,
        nonce: 'GGGGGGGGGGGGGGGGGGGGGG',
        ...changes,
      } as never),
    dial(who, before) {
      const socket = connect(where(who) as never);
      socket.on('error', () => undefined);
      before?.(socket);
      return socket;
    },
    say: (bytes) =>
      new Promise((resolve) => {
        const socket = stage.dial('supervisor');
        let text = '';
        socket.on('data', (chunk: Buffer) => {
          text += chunk.toString('latin1');
        });
        socket.on('close', () => resolve(text));
        socket.write(bytes);
      }),
    open: (token, target = `127.0.0.1:${app.port}`, who = 'supervisor') =>
      new Promise((resolve, reject) => {
        const socket = stage.dial(who);
        socket.on('error', reject);
        socket.on('close', () => reject(new Error('closed')));
        const field = token === undefined ? '' : `Sallyport-Token: ${token}\r\n`;
        socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${field}\r\n`);
        let head = '';
        const onData = (chunk: Buffer): void => {
          head += chunk.toString('latin1');
          if (!head.includes('\r\n\r\n')) return;
          socket.removeListener('data', onData);
          resolve({ socket, head });
        };
        socket.on('data', onData);
      }),
    async close() {
      await boundary.drain(AbortSignal.abort());
      server.close();
      for (const socket of app.sockets) socket.destroy();
      signer.keys.close();
      clock.stop();
      authority.remove();
      strangers.remove();
      rmSync(folder, { recursive: true });
    },
  };
  return stage;
}
