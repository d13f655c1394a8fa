import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Done, Evidence, MemberSeen, Opened } from './evidence.ts';
import type { Installation } from './installation.ts';
import { type Prober, startProber, type Target } from './prober.ts';
import { type Sights, watchSights } from './sights.ts';
import { startTunnels, type Tunnels } from './tunnels.ts';

const PROBE_EVERY_MS = 200;

/** All that looks at an installation from outside, and what it has seen in the end. */
export interface Watched {
  readonly prober: Prober;
  readonly sights: Sights;
  end(done: readonly Done[], before: Evidence['before']): Promise<Evidence>;
  stop(): Promise<void>;
}

export function watch(installation: Installation, probeEveryMs = PROBE_EVERY_MS): Watched {
  const { sandboxes, supervisors, pki } = installation;
  const targets = (): readonly Target[] =>
    sandboxes.flatMap(({ name, host, listeners }) =>
      listeners.flatMap((listener) => {
        const supervisor = supervisors.get(listener);
        return supervisor === undefined ? [] : [{ listener, port: supervisor.port, sandbox: name, host }];
      }),
    );
  const prober = startProber(targets, pki.ca, probeEveryMs);
  const sights = watchSights(installation);
  const lastRight = (sandbox: string): Target | undefined => {
    const listener = prober.asked.findLast((each) => each.sandbox === sandbox && each.outcome.kind === 'right')?.listener;
    return targets().find((target) => target.sandbox === sandbox && target.listener === listener);
  };
  const tunnels: Tunnels = startTunnels(
    sandboxes.map(({ name }) => name),
    lastRight,
    pki.ca,
    prober,
  );
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    tunnels.stop();
    await Promise.all([prober.stop(), sights.stop()]);
  };
  return {
    prober,
    sights,
    stop,
    async end(faults, before) {
      await stop();
      const after = await Promise.all(sandboxes.map(({ application }) => application.state()));
      const deliveries = (await Promise.all(sandboxes.map(({ application }) => application.stop()))).flat();
      const opened = (await Promise.all(sandboxes.map((each) => openedOf(installation, each.name)))).flat();
      const listeners = [...supervisors.values()].map(({ name, port, startedAt }) => ({ name, port, startedAt }));
      const facts = sandboxes.map(({ name, mode, hasBoundary, listeners: own }) => ({ name, mode, hasBoundary, listeners: own }));
      return {
        sandboxes: facts,
        listeners,
        asked: prober.asked,
        deliveries,
        opened,
        moves: installation.store.moves,
        members: installation.store.members as readonly MemberSeen[],
        sights: sights.sights,
        faults,
        before,
        after,
      };
    },
  };
}

/** What a boundary said of the channels that it opened, in its own order. */
async function openedOf({ folder }: Installation, sandbox: string): Promise<readonly Opened[]> {
  const text = await readFile(join(folder, `boundary-${sandbox}.log`), 'utf8').catch(() => '');
  const opened: Opened[] = [];
  for (const [order, line] of text.split('\n').entries()) {
    if (!line.includes('"channel opened"')) continue;
    const said = JSON.parse(line) as { time: string; localPort: number; ownerEpoch: string; memberId: string };
    const { localPort, memberId } = said;
    opened.push({ sandbox, order, atWallMs: Date.parse(said.time), localPort, epoch: BigInt(said.ownerEpoch), memberId });
  }
  return opened;
}
