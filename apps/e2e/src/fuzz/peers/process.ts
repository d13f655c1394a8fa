import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
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

export async function startPeer(program: Program, laneCount: number): Promise<Peer> {
  const binary = binaryOf(program);
  if (binary === undefined) throw new Error(`${program.name} is not installed: ${program.installWith}`);
  const folder = mkdtempSync(join(tmpdir(), `sallyport-fuzz-${program.name}-`));
  const lanes: PeerLane[] = [];
  const ports: PortPair[] = [];
  for (const proxyPort of await freePorts(laneCount)) {
    const lane = await openPeerLane();
    lanes.push(lane);
    ports.push({ proxyPort, appPort: lane.appPort });
  }
  const child = spawn(binary, program.configure(folder, ports), { stdio: ['ignore', 'ignore', 'pipe'] });
  const kill = (): void => void child.kill('SIGKILL');
  process.on('exit', kill);
  await listens(child, ports[0]?.proxyPort ?? 0);
  return {
    name: program.name,
    ask(lane, bytes, again) {
      const patience = { quietMs: again ? 6 * program.quietMs : program.quietMs };
      return (lanes[lane] as PeerLane).ask((ports[lane] as PortPair).proxyPort, bytes, patience);
    },
    askAnswer: (lane, method, bytes) => (lanes[lane] as PeerLane).askAnswer((ports[lane] as PortPair).proxyPort, method, bytes),
    async close() {
      process.off('exit', kill);
      const ended = once(child, 'exit');
      kill();
      await ended;
      for (const lane of lanes) lane.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Taken together, so that they differ; nobody else takes ports in the moment until the program has them. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen({ host: '127.0.0.1', port: 0 }));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

async function listens(child: ChildProcess, port: number): Promise<void> {
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
    if (listening) return;
    await sleep(50);
  }
  throw new Error(`it does not listen: ${said}`);
}
