import { type Instant, later } from '@sallyport/model';
import type { StoreClock } from '../clock.ts';
import type { EtcdAddress } from './address.ts';
import { failureOf } from './failure.ts';
import { type Link, openLink } from './link.ts';
import { type EtcdCredentials, type EtcdTls, readCredentials } from './tls.ts';
import { until } from './until.ts';
import type { Witness } from './witness.ts';

/** Which member we talk to. One at a time; a call is only ever sent to a member that has just proven itself. */
export interface Connection {
  /**
   * A link to a member that answered, has a leader and is of our cluster; undefined when there is none before `instant`,
   * and then nothing was sent. Never repeats a call: only the caller knows which may be.
   */
  proven(instant: Instant): Promise<Link | undefined>;
  /** A call on `link` brought no answer: it proves itself again, or another takes its place. */
  suspect(link: Link): void;
  /** Why there was none, for people. */
  problem(): string;
  readonly closed: boolean;
  close(): void;
}

export interface ConnectionOptions {
  readonly addresses: readonly EtcdAddress[];
  readonly tls?: EtcdTls | undefined;
  readonly clock: StoreClock;
  readonly witness: Witness;
  /** Where in `addresses` to begin, so that not all replicas use the same member. */
  readonly first: number;
  readonly onVersion: (version: string, address: EtcdAddress) => void;
  /** True after no member answered, false when one does again. */
  readonly onDisconnected: (is: boolean) => void;
}

/** For `Status`, which a member answers alone. Long enough for a TLS handshake on a busy machine. */
const PROOF_MS = 1_000;
/** Between two rounds over all members. */
const ROUND_PAUSE_MS = 200;

export function createConnection(options: ConnectionOptions): Connection {
  const { addresses, clock, witness } = options;
  const ending = new AbortController();
  let index = options.first % addresses.length;
  let link: Link | undefined;
  let isProven = false;
  let round: Promise<void> | undefined;
  let problem = 'no member has been asked yet';
  let credentials: EtcdCredentials | undefined;
  let closed = false;
  let disconnected = false;

  /** Asks the member in use, then each in turn. */
  async function askAround(): Promise<void> {
    if (link !== undefined && !(await prove(link))) drop(addresses.length > 1);
    for (let tried = 0; tried < addresses.length && !isProven && !closed; tried += 1) {
      link = await open();
      if (link === undefined || !(await prove(link))) drop(true);
    }
    if (closed || isProven === !disconnected) return;
    disconnected = !isProven;
    options.onDisconnected(disconnected);
  }

  async function open(): Promise<Link | undefined> {
    if (options.tls !== undefined) {
      // A broken pair while files are being replaced: what we had may still do.
      credentials = await readCredentials(options.tls).catch((error: Error) => {
        problem = error.message;
        return credentials;
      });
      if (credentials === undefined) return undefined;
    }
    return closed ? undefined : openLink(addressInUse(), credentials, options.tls?.serverName);
  }

  async function prove(asked: Link): Promise<boolean> {
    try {
      const { header, version } = await asked.etcd.maintenance.status(asked.options(PROOF_MS));
      const objection = witness.problem(header);
      if (objection !== undefined) throw new Error(objection);
      isProven = !asked.closed;
      options.onVersion(version, asked.address);
    } catch (error) {
      problem = `${asked.address}: ${failureOf(error).message}`;
    }
    return isProven;
  }

  function drop(goOn: boolean): void {
    link?.close(problem);
    link = undefined;
    if (goOn) index = (index + 1) % addresses.length;
  }

  function startRound(): Promise<void> {
    round ??= askAround().finally(() => {
      round = undefined;
    });
    return round;
  }

  const addressInUse = (): EtcdAddress => addresses[index] as EtcdAddress;

  return {
    async proven(instant) {
      while (!closed) {
        if (isProven) return link;
        await until(clock, instant, ending.signal, startRound());
        if (isProven || closed) continue;
        if (clock.now() >= instant) return undefined;
        await until(clock, earlier(instant, later(clock.now(), ROUND_PAUSE_MS)), ending.signal);
      }
      return undefined;
    },
    suspect(suspected) {
      if (closed || suspected !== link || !isProven) return;
      isProven = false;
      void startRound();
    },
    problem: () => (closed ? 'this client of the store is closed' : problem),
    get closed() {
      return closed;
    },
    close() {
      closed = true;
      isProven = false;
      problem = 'this client of the store was closed';
      ending.abort();
      drop(false);
    },
  };
}

const earlier = (a: Instant, b: Instant): Instant => (a < b ? a : b);
