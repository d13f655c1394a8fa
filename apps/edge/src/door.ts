import {
  type AddressInfo,
  connect,
  createServer,
  type LookupFunction,
  type OnReadOpts,
  type Server,
  type Socket,
} from 'node:net';
import { type Address, type Clock, cannotListen } from '@sallyport/process';
import { createClientCounts, normaliseAddress } from '@sallyport/proxy';
import { createClientShares } from './client-shares.ts';
import type { Refusal } from './endings.ts';
import { TICK_MS } from './limits.ts';
import { Passage } from './passage.ts';
import { recently } from './recently.ts';
import { createRoster } from './roster.ts';
import type { Surroundings } from './surroundings.ts';

/** The listener for clients. */
export interface Door {
  /** As bound. */
  readonly address: Address;
  connectionCount(): number;
  pendingCount(): number;
  /** Accepts nothing more and resolves when the last connection is closed; when `deadline` aborts, those that are left are reset. */
  drain(deadline: AbortSignal): Promise<void>;
}

export interface DoorOptions extends Omit<Surroundings, 'clients' | 'hosts' | 'tally' | 'dial' | 'recently'> {
  readonly listen: Address;
  readonly clock: Clock;
  /** For tests, whose clock is not the machine's. */
  readonly monotonicMs?: () => number;
}

const BACKLOG = 4_096;

/** A record says an address. A name would be looked up, and an empty one is this machine. */
const noNames: LookupFunction = (_name, _options, done) => done(new Error('an endpoint that is no address'), '');

/** Both ends may close their half by themselves, and small writes leave at once: the hellos of TLS are such. */
const dial = (address: string, port: number, onread: OnReadOpts): Socket =>
  connect({ host: address, port, onread, allowHalfOpen: true, noDelay: true, autoSelectFamily: false, lookup: noNames });

/** Throws `CannotStart` where it cannot listen. */
export async function openDoor(options: DoorOptions): Promise<Door> {
  const { limits, clock, observer, trusted } = options;
  const surroundings: Surroundings = {
    ...options,
    dial,
    recently: recently(clock, options.monotonicMs),
    clients: createClientShares(limits),
    hosts: createClientCounts(limits.connectionsPerHostMax),
    tally: { bytesIn: 0, bytesOut: 0, pending: 0 },
  };
  const { clients, tally } = surroundings;
  const open = createRoster<Passage>();
  let onEmpty = (): void => undefined;

  function accept(client: Socket): void {
    const address = normaliseAddress(client.remoteAddress ?? '');
    const refusal = refusalOf(address);
    if (refusal !== undefined) {
      client.destroy();
      return observer.refused({ reason: refusal, client: address });
    }
    open.add(new Passage(client, address, onClosed, surroundings));
  }

  function refusalOf(address: string): Refusal | undefined {
    if (open.members.length >= limits.connectionsMax) return 'over-process-limit';
    if (tally.pending >= limits.pendingMax) return 'over-pending-limit';
    return trusted.has(address) ? undefined : clients.enter(address);
  }

  function onClosed(passage: Passage): void {
    open.remove(passage);
    if (open.members.length === 0) onEmpty();
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, accept);
  const address = await listening(server, options.listen);
  server.on('error', () => observer.acceptFailed());
  const cancelTick = clock.every(TICK_MS, () => {
    const now = clock.now();
    for (let index = open.members.length - 1; index >= 0; index -= 1) open.members[index]?.tick(now);
    tell();
  });

  function tell(): void {
    const { bytesIn, bytesOut } = tally;
    tally.bytesIn = 0;
    tally.bytesOut = 0;
    observer.passed(bytesIn, bytesOut);
  }

  return {
    address,
    connectionCount: () => open.members.length,
    pendingCount: () => tally.pending,
    async drain(deadline) {
      server.close();
      const cutAll = (): void => {
        for (const passage of [...open.members]) passage.cut('drained');
      };
      if (open.members.length > 0) {
        const emptied = new Promise<void>((resolve) => {
          onEmpty = () => resolve();
        });
        if (deadline.aborted) cutAll();
        else deadline.addEventListener('abort', cutAll, { once: true });
        await emptied;
      }
      cancelTick();
      tell();
    },
  };
}

function listening(server: Server, { host, port }: Address): Promise<Address> {
  return new Promise((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException): void => reject(cannotListen(error, { host, port }, 'edge-listen'));
    server.once('error', refused);
    // Reconnects of a whole fleet's clients come at once.
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off('error', refused);
      const bound = server.address() as AddressInfo;
      resolve({ host: bound.address, port: bound.port });
    });
  });
}
