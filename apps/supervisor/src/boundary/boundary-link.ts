import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { err, later, type Nonce, type RuntimeId } from '@sallyport/model';
import { type Clock, type Log, wait } from '@sallyport/process';
import type { Connector } from '@sallyport/proxy';
import { checkServerApp, FENCE_ANSWER_LENGTH_MAX, type TlsMaterial } from '@sallyport/wire';
import { createAsker } from './ask.ts';
import { openChannel } from './channel.ts';

/** The boundary of one sandbox, as its supervisor uses it: the way to the application, and what keeps it open. */
export interface BoundaryLink extends Connector {
  /** For the next report; undefined when the boundary does not answer in time: then the report goes without. */
  nonce(): Promise<Nonce | undefined>;
  /** The newest leave: used for every way that is opened from now on, and told at once for those that are open. */
  present(token: string): void;
  /** The boundary's signed answer; undefined when it does not confirm. */
  fence(token: string): Promise<Uint8Array | undefined>;
  /** The boundary is elsewhere now. */
  moveTo(address: string): void;
  close(): void;
}

export interface BoundaryLinkOptions {
  /** host:port. */
  readonly address: string;
  /** Nobody else's boundary will do. */
  readonly runtimeId: RuntimeId;
  readonly trustDomain: string;
  readonly material: () => TlsMaterial | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** It stands beside untrusted code: what a gateway would refuse is not passed on, or it could end its session. */
const NONCE = /^[A-Za-z0-9_-]{22}$/;
/** A report does not wait longer: it is asked for a second before the beat that carries it, and its lease matters more. */
const NONCE_MS = 500;
const PRESENT_MS = 2_000;
/** Presented again this often after a failure, while it is the newest. */
const PRESENT_AGAIN_MS = 500;
const PRESENT_TRIES_MAX = 5;
const FENCE_MS = 1_500;
const FENCE_TRIES_MAX = 3;
/** To the boundary and on to the application, whose own dial has a limit of its own there. */
const CHANNEL_MS = 10_000;
/** How long a request waits for a token that gives the right: after a takeover, a new port, another life of the boundary. */
const TOKEN_WAIT_MS = 2_000;

export function createBoundaryLink(options: BoundaryLinkOptions): BoundaryLink {
  const { runtimeId, trustDomain, material, clock, log } = options;
  const closing = new AbortController();
  let address = options.address;
  let newest: string | undefined;
  let session: Buffer | undefined;
  let waiting: (() => void)[] = [];

  /** Resolved anew for each connection, so a boundary that moved within its name is found again. */
  function tls(): ConnectionOptions | undefined {
    const own = material();
    if (own === undefined) return undefined;
    const at = address.lastIndexOf(':');
    const host = address.slice(0, at).replace(/^\[(.*)\]$/, '$1');
    return {
      host,
      port: Number(address.slice(at + 1)),
      ...own,
      minVersion: 'TLSv1.3',
      ALPNProtocols: ['http/1.1'],
      // TLS takes no address for a name; who it is the certificate says anyway.
      servername: isIP(host) === 0 ? host : 'boundary',
    };
  }
  const checkServerIdentity = checkServerApp(trustDomain, 'boundary', runtimeId);
  const asker = createAsker(tls, checkServerIdentity, clock);

  async function tell(token: string): Promise<void> {
    for (let attempt = 0; attempt < PRESENT_TRIES_MAX && newest === token && !closing.signal.aborted; attempt += 1) {
      const told = await asker.ask('PUT', '/token', token, PRESENT_MS);
      if (told.ok) return;
      log.warn({ runtimeId, why: told.error.message }, 'the boundary did not take a token');
      // It has judged; only another token can help.
      if (told.error.why !== undefined) return;
      await wait(clock, PRESENT_AGAIN_MS, closing.signal);
    }
  }

  /** Resolves with a token that is not `than`, or undefined when none comes in time. */
  async function newerToken(than: string | undefined, signal: AbortSignal): Promise<string | undefined> {
    const until = later(clock.now(), TOKEN_WAIT_MS);
    while (newest === than && !signal.aborted && clock.now() < until) {
      await new Promise<void>((resolve) => {
        const cancel = clock.at(until, resolve);
        const end = (): void => {
          cancel();
          signal.removeEventListener('abort', end);
          resolve();
        };
        waiting.push(end);
        signal.addEventListener('abort', end);
      });
    }
    return newest === than ? undefined : newest;
  }

  return {
    async dial(port, signal) {
      const ends = AbortSignal.any([signal, closing.signal]);
      let token = newest ?? (await newerToken(undefined, ends));
      for (let attempt = 0; ; attempt += 1) {
        const where = tls();
        if (ends.aborted) return err({ kind: 'aborted' });
        if (token === undefined || where === undefined)
          return err({ kind: 'failed', message: "no leave to use the sandbox's boundary has come yet" });
        const resumed = { ...where, checkServerIdentity, ...(session === undefined ? {} : { session }) };
        const onSession = (next: Buffer): void => {
          session = next;
        };
        const opened = await openChannel({ tls: resumed, port, token, clock, withinMs: CHANNEL_MS, signal: ends, onSession });
        if (opened.ok) return opened;
        if (opened.error.kind !== 'no-right') return err(opened.error);
        const next = attempt === 0 ? await newerToken(token, ends) : undefined;
        if (next === undefined) return err({ kind: 'failed', message: `the sandbox's boundary refuses: ${opened.error.why}` });
        token = next;
      }
    },
    async nonce() {
      const issued = await asker.ask('POST', '/nonce', '', NONCE_MS);
      if (issued.ok && NONCE.test(String(issued.value.nonce))) return issued.value.nonce as Nonce;
      log.warn({ runtimeId, address, why: issued.ok ? 'no nonce' : issued.error.message }, 'the boundary issues no nonce');
      return undefined;
    },
    present(token) {
      newest = token;
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
      void tell(token);
    },
    async fence(token) {
      for (let attempt = 0; attempt < FENCE_TRIES_MAX && !closing.signal.aborted; attempt += 1) {
        const answered = await asker.ask('POST', '/fence', token, FENCE_MS);
        const answer = answered.ok ? answered.value.answer : undefined;
        if (typeof answer === 'string' && answer.length <= FENCE_ANSWER_LENGTH_MAX) return Buffer.from(answer, 'latin1');
        log.warn({ runtimeId, why: answered.ok ? 'no answer' : answered.error.message }, 'the boundary does not confirm a fence');
        if (!answered.ok && answered.error.why !== undefined) return undefined;
        await wait(clock, PRESENT_AGAIN_MS, closing.signal);
      }
      return undefined;
    },
    moveTo(next) {
      if (next === address) return;
      log.info({ runtimeId, address: next }, 'the boundary has moved');
      address = next;
      session = undefined;
    },
    close() {
      closing.abort();
      asker.close();
    },
  };
}
