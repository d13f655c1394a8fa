import { connect } from 'node:tls';
import { until } from '../../authority/rig/until.ts';
import { type Done, type Evidence, nowMs } from './evidence.ts';
import { commit } from './faults.ts';
import {
  type Installation,
  type InstallationWanted,
  type Sandbox,
  type SandboxWanted,
  startInstallation,
} from './installation.ts';
import { keep } from './keep.ts';
import { allBack } from './run.ts';
import type { FaultKind } from './schedule.ts';
import { judge } from './verdict.ts';
import { type Watched, watch } from './watch.ts';

/** One installation for many cases, each of which breaks one thing and measures; what must always hold is judged at the end. */
export interface Scene {
  readonly installation: Installation;
  sandbox(name: string): Sandbox;
  /** Begins a fault now; resolves with its record when it has healed. */
  breaks(kind: FaultKind, target: string, forMs: number): Promise<Done>;
  /** Whose listener answered last. */
  ownerOf(sandbox: string): string;
  /** When the first right answer was there that was asked for after `at`, by this listener or any; waits for it. */
  rightAfter(sandbox: string, at: number, withinMs: number, by?: string): Promise<number>;
  /** The longest time between two right answers, by when they were asked for. */
  longestGapMs(sandbox: string, from: number, to: number): number;
  /** What was answered instead, and how often. */
  notRight(sandbox: string, from: number, to: number): Readonly<Record<string, number>>;
  /** A tunnel of its own through a listener; how many of its lines the application has. */
  tunnel(sandbox: string, listener: string): Promise<OwnTunnel>;
  /** All that was violated since the beginning. */
  end(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface OwnTunnel {
  write(lines: number): void;
  /** Of bytes, once the application has all that reached it. */
  arrived(): Promise<number>;
  close(): void;
}

const PROBE_EVERY_MS = 60;
const FIRST_SERVED_MS = 60_000;

export async function openScene(wanted: InstallationWanted): Promise<Scene> {
  const installation = await startInstallation(wanted);
  let watched: Watched | undefined;
  try {
    watched = watch(installation, PROBE_EVERY_MS);
    await allBack(installation, watched, nowMs(), FIRST_SERVED_MS);
    const before = await Promise.all(installation.sandboxes.map(({ application }) => application.state()));
    return sceneOf(installation, watched, before);
  } catch (error) {
    await watched?.stop();
    await installation.close();
    throw error;
  }
}

function sceneOf(installation: Installation, watched: Watched, before: Evidence['before']): Scene {
  const { asked } = watched.prober;
  const done: Done[] = [];
  const beganAt = nowMs();
  let [faultCount, tunnelCount] = [0, 0];
  const sandbox = (name: string): Sandbox => {
    const found = installation.sandboxes.find((each) => each.name === name);
    if (found === undefined) throw new Error(`there is no sandbox ${name}`);
    return found;
  };
  const ofProbes = (name: string) => asked.filter((each) => each.sandbox === name && !each.id.includes('.t'));

  return {
    installation,
    sandbox,
    async breaks(kind, target, forMs) {
      faultCount += 1;
      const fault = { kind, target, forMs, at: nowMs() - beganAt, number: faultCount };
      const record = await commit(installation, fault, beganAt);
      done.push(record);
      return record;
    },
    ownerOf(name) {
      const owner = ofProbes(name).findLast(({ outcome }) => outcome.kind === 'right')?.listener;
      if (owner === undefined) throw new Error(`nobody serves ${name}`);
      return owner;
    },
    async rightAfter(name, at, withinMs, by) {
      const found = () =>
        ofProbes(name)
          .filter(({ outcome, sentAt, listener }) => outcome.kind === 'right' && sentAt >= at && (by ?? listener) === listener)
          .toSorted((a, b) => a.answeredAt - b.answeredAt)[0];
      await until(`${name} is served${by === undefined ? '' : ` by ${by}`}`, () => found() !== undefined, withinMs);
      return found()?.answeredAt as number;
    },
    longestGapMs(name, from, to) {
      const right = ofProbes(name)
        .filter(({ outcome, sentAt }) => outcome.kind === 'right' && sentAt >= from && sentAt <= to)
        .map(({ sentAt }) => sentAt);
      const marks = [from, ...right.toSorted((a, b) => a - b), to];
      return Math.max(...marks.slice(1).map((at, index) => at - (marks[index] as number)));
    },
    notRight(name, from, to) {
      const counts: Record<string, number> = {};
      for (const { outcome, sentAt } of ofProbes(name)) {
        if (sentAt < from || sentAt > to || outcome.kind === 'right' || outcome.kind === 'unknown-name') continue;
        const why = outcome.why;
        counts[why] = (counts[why] ?? 0) + 1;
      }
      return counts;
    },
    async tunnel(name, listener) {
      tunnelCount += 1;
      const id = `${listener}.town${tunnelCount}`;
      const { host, application } = sandbox(name);
      const port = installation.supervisors.get(listener)?.port ?? 0;
      const sentAt = nowMs();
      const socket = connect({ host: '127.0.0.1', port, servername: host, ca: installation.pki.ca });
      socket.on('error', () => undefined);
      socket.write(
        `GET /${id} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      );
      await new Promise((opened, failed) => {
        socket.once('data', opened);
        socket.once('close', () => failed(new Error(`no tunnel through ${listener}`)));
      });
      watched.prober.add({ id, sandbox: name, listener, sentAt, answeredAt: nowMs(), outcome: { kind: 'right' } });
      return {
        write(lines) {
          for (let line = 0; line < lines; line += 1) socket.write(`${`${nowMs()}`.padEnd(LINE_BYTES - 1)}\n`);
        },
        async arrived() {
          const lines = (await application.deliveries()).filter((each) => each.id === id && each.line !== undefined);
          return lines.length * LINE_BYTES;
        },
        close: () => void socket.destroy(),
      };
    },
    async end() {
      const evidence = await watched.end(done, before);
      const violations = judge(evidence);
      if (violations.length > 0) await keep(installation, evidence, violations, 0);
      return violations;
    },
    async close() {
      await watched.stop();
      await installation.close();
    },
  };
}

/** Of a tunnel's line in these cases. */
export const LINE_BYTES = 1_024;
export type { SandboxWanted };
