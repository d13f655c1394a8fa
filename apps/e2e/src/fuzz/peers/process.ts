import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Peer, PeerName } from './peer.ts';
import { openPeerLane, type PeerLane } from './proxy-peer.ts';

/** Another proxy as a program of its own. */
export interface Program {
  readonly name: PeerName;
  /** Where Debian puts it; then whatever PATH has. */
  readonly binaries: readonly string[];
  readonly versionArgument: string;
  readonly installWith: string;
  /** See {@link Patience}. */
  readonly quietMs: number;
  /** Writes its configuration into `folder`: each proxy port leads to its application's. */
  configure(folder: string, ports: readonly PortPair[]): readonly string[];
}

export interface PortPair {
  readonly proxyPort: number;
  readonly appPort: number;
}

export function binaryOf({ binaries, versionArgument }: Program): string | undefined {
  return binaries.find((binary) => spawnSync(binary, [versionArgument], { stdio: 'ignore' }).status === 0);
}

const STARTS_MAX = 5;

/** Starts it on ports that are free now; should somebody have taken one before it could, on others. */
export async function startPeer(program: Program, laneCount: number): Promise<Peer> {
  const binary = binaryOf(program);
  if (binary === undefined) throw new Error(`${program.name} is not installed: ${program.installWith}`);
  const lanes = await Promise.all(Array.from({ length: laneCount }, openPeerLane));
  for (let starts = 1; ; starts++) {
    const proxyPorts = await freePorts(laneCount);
    const ports = lanes.map(({ appPort }, i) => ({ proxyPort: proxyPorts[i] as number, appPort }));
    const started = await start(binary, program, ports);
    if (typeof started === 'object') return peerOf(program, lanes, ports, started);
    if (starts === STARTS_MAX) throw new Error(`${program.name} does not listen: ${started}`);
  }
}

interface Started {
  end(): Promise<void>;
}

async function start(binary: string, program: Program, ports: readonly PortPair[]): Promise<Started | string> {
  const folder = mkdtempSync(join(tmpdir(), `sallyport-fuzz-${program.name}-`));
  const child = spawn(binary, program.configure(folder, ports), { stdio: ['ignore', 'ignore', 'pipe'] });
  const kill = (): void => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.on('exit', kill);
  const ended = once(child, 'exit');
  const end = async (): Promise<void> => {
    process.off('exit', kill);
    kill();
    await ended;
  };
  const problem = await listens(child, ports.at(-1)?.proxyPort ?? 0);
  if (problem === undefined) return { end };
  await end();
  return problem;
}

function peerOf({ name, quietMs }: Program, lanes: readonly PeerLane[], ports: readonly PortPair[], { end }: Started): Peer {
  return {
    name,
    ask(lane, bytes, again) {
      const patience = { quietMs: again ? 6 * quietMs : quietMs };
      return (lanes[lane] as PeerLane).ask((ports[lane] as PortPair).proxyPort, bytes, patience);
    },
    askAnswer: (lane, method, bytes) => (lanes[lane] as PeerLane).askAnswer((ports[lane] as PortPair).proxyPort, method, bytes),
    async close() {
      await end();
      for (const lane of lanes) lane.close();
    },
  };
}

/** Below the range from which the system takes those of outgoing connections, which a busy machine has many of. */
const PORTS_FROM = 12_000;
const PORTS_TO = 32_000;

async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(PORTS_FROM, PORTS_TO);
    if (!ports.includes(port) && (await isFree(port))) ports.push(port);
  }
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ host: '127.0.0.1', port }, () => resolve(true));
  });
  if (free) await once(server.close(), 'close');
  return free;
}

async function listens(child: ChildProcess, port: number): Promise<string | undefined> {
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2_000);
  });
  for (let tries = 0; tries < 100; tries++) {
    if (child.exitCode !== null) break;
    const socket = connect({ host: '127.0.0.1', port });
    const listening = await new Promise<boolean>((resolve) => {
      socket.on('connect', () => resolve(true));
      socket.on('error', () => resolve(false));
    });
    socket.destroy();
    if (listening && child.exitCode === null) return undefined;
    await sleep(50);
  }
  return `it does not listen: ${said}`;
}
