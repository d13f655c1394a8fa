import { type Failure, failure } from '@sallyport/model';
import type { Random } from '../random.ts';
import type { Schedule } from '../time/schedule.ts';
import type { SimProcess } from '../time/sim-process.ts';
import type { Network, Place } from './network.ts';
import { createPipe, type Pipe } from './pipe.ts';
import { createStreamEnd, type StreamEnd } from './stream-end.ts';

/** The connections between processes, and how each end finds out that its peer is gone. */
export interface Connections {
  /** Opens a stream. `accept` is called in the server's process when the first word of the client arrives there. */
  open<Up, Down>(options: OpenOptions<Up, Down>): StreamEnd<Up, Down>;
  /** Breaks what runs between the two places now, as a reset does: both ends hear of it. */
  cut(a: Place, b: Place): void;
  openCount(): number;
}

export interface Party {
  readonly place: Place;
  readonly process: SimProcess;
}

export interface OpenOptions<Up, Down> {
  readonly client: Party;
  readonly server: Party;
  readonly name: string;
  accept(stream: StreamEnd<Down, Up>): void;
  /** For the truth: each message, when it is sent and when it has arrived. */
  observe(way: 'up' | 'down', moment: 'sent' | 'arrived', message: Up | Down): void;
}

interface Open {
  readonly client: Party;
  readonly server: Party;
  readonly ends: { readonly client: StreamEnd<never, never>; readonly server: StreamEnd<never, never> };
  /** What each side sends on. */
  readonly pipes: { readonly client: Pipe; readonly server: Pipe };
  /** True time since which the end cannot reach its peer. */
  readonly lost: { client: number | undefined; server: number | undefined };
}

/** HTTP/2 pings, as libs/wire sets them: each 10 s, answered within 5 s. */
const LOOK_EVERY_MS = 2_500;
const NOTICED_AFTER_MS = { min: 10_000, max: 15_000 };
/** How often the operating system of a process that dies still says so. */
const RESET_PROBABILITY = 0.8;

const BROKEN = failure('not-ready', 'the connection broke');
const GONE = failure('not-ready', 'the client has gone');

export interface ConnectionsOptions {
  readonly schedule: Schedule;
  readonly network: Network;
  readonly random: Random;
}

export function createConnections({ schedule, network, random }: ConnectionsOptions): Connections {
  const open = new Set<Open>();
  const heard = new WeakSet<SimProcess>();

  /** Pings are answered by the process itself, so a paused peer is as good as a lost one. */
  function reaches(from: Party, to: Party): boolean {
    return to.process.awake() && !network.isBlocked(from.place, to.place) && !network.isBlocked(to.place, from.place);
  }

  function look(): void {
    schedule.after(LOOK_EVERY_MS, { who: 'network', does: 'pings' }, look);
    for (const each of open) {
      const { client, server, ends } = each;
      const gone = (end: StreamEnd<never, never>, party: Party): boolean => end.isOver() || !party.process.alive();
      if (gone(ends.client, client) && gone(ends.server, server)) {
        open.delete(each);
        continue;
      }
      notice(each, 'client', client, server);
      notice(each, 'server', server, client);
    }
  }

  function notice({ ends, lost, pipes }: Open, side: 'client' | 'server', own: Party, peer: Party): void {
    const [end, other] = side === 'client' ? [ends.client, ends.server] : [ends.server, ends.client];
    if (end.isOver() || !own.process.awake()) return;
    if (reaches(own, peer)) {
      lost[side] = undefined;
      return;
    }
    lost[side] ??= schedule.now();
    const patience = random.between(NOTICED_AFTER_MS.min, NOTICED_AFTER_MS.max);
    if (schedule.now() - lost[side] < patience) return;
    end.over(side === 'client' ? BROKEN : GONE);
    // Its operating system closes the connection, and says so for as long as it takes to get through.
    pipes[side].drop();
    pipes[side].send('reset', () => peer.process.deliver('reset', () => other.over(side === 'client' ? GONE : BROKEN)));
  }

  look();
  return {
    open<Up, Down>({ client, server, name, accept, observe }: OpenOptions<Up, Down>): StreamEnd<Up, Down> {
      const up = createPipe({ schedule, network, random, from: client.place, to: server.place });
      const down = createPipe({ schedule, network, random, from: server.place, to: client.place });
      let accepted = false;

      const clientEnd: StreamEnd<Up, Down> = createStreamEnd<Up, Down>({
        owner: client.process,
        out: up,
        carry(message) {
          observe('up', 'sent', message);
          up.send(name, () =>
            server.process.deliver(name, () => {
              if (!accepted) {
                accepted = true;
                accept(serverEnd);
              }
              if (serverEnd.isOver()) return reset(down, client, clientEnd);
              observe('up', 'arrived', message);
              serverEnd.arrived(message);
            }),
          );
        },
        ended: () => up.send(`${name} ends`, () => server.process.deliver(name, () => serverEnd.over(GONE))),
      });
      const serverEnd: StreamEnd<Down, Up> = createStreamEnd<Down, Up>({
        owner: server.process,
        out: down,
        carry(message) {
          observe('down', 'sent', message);
          down.send(name, () =>
            client.process.deliver(name, () => {
              if (clientEnd.isOver()) return reset(up, server, serverEnd);
              observe('down', 'arrived', message);
              clientEnd.arrived(message);
            }),
          );
        },
        ended(reason) {
          if (reason !== undefined) down.drop();
          down.send(`${name} ends`, () => client.process.deliver(name, () => clientEnd.over(reason)));
        },
      });
      const each: Open = {
        client,
        server,
        pipes: { client: up, server: down },
        ends: { client: clientEnd as never, server: serverEnd as never },
        lost: { client: undefined, server: undefined },
      };
      open.add(each);
      hear(client.process);
      hear(server.process);
      return clientEnd;
    },
    cut(a, b) {
      for (const { client, server, ends } of open) {
        const between = [client.place, server.place];
        if (!between.includes(a) || !between.includes(b)) continue;
        client.process.deliver('reset', () => ends.client.over(BROKEN));
        server.process.deliver('reset', () => ends.server.over(GONE));
      }
    },
    openCount: () => open.size,
  };

  /** When it dies, its operating system may say so to those it talked with; if not, they notice in time. */
  function hear(process: SimProcess): void {
    if (heard.has(process)) return;
    heard.add(process);
    process.onKill((how) => {
      // All calls between two processes share one connection, and with it their fate.
      const told = new Map<SimProcess, boolean>();
      for (const each of open) {
        const { client, server } = each;
        if (client.process !== process && server.process !== process) continue;
        const peer = client.process === process ? server : client;
        const says = told.get(peer.process) ?? (how === 'in order' || random.chance(RESET_PROBABILITY));
        told.set(peer.process, says);
        if (says) tell(each, client.process === process ? 'client' : 'server', how);
      }
    });
  }

  function tell({ client, server, ends, pipes }: Open, dead: 'client' | 'server', how: 'in order' | 'suddenly'): void {
    const out = pipes[dead];
    if (how === 'suddenly' && random.chance(0.5)) out.drop();
    const [peer, act] = dead === 'client' ? [server, () => ends.server.over(GONE)] : [client, () => ends.client.over(BROKEN)];
    out.send('reset', () => peer.process.deliver('reset', act));
  }
}

/** Something arrived for a call that is over here: the sender is told so. */
function reset(back: { send(does: string, arrive: () => void): void }, to: Party, end: { over(reason: Failure): void }): void {
  back.send('reset', () => to.process.deliver('reset', () => end.over(BROKEN)));
}
