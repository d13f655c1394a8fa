import type { Socket } from 'node:net';
import { formatAddress, type Host, type Instant, later, normaliseHost } from '@sallyport/model';
import { lend } from '@sallyport/proxy';
import { alertRecord, createHelloReader } from '@sallyport/tls-hello';
import type { PublishedRecord } from '@sallyport/wire';
import { ALERT_OF, type Ending, isHandover, type Refusal } from './endings.ts';
import { createInlet } from './inlet.ts';
import { DIAL_AGAIN_MS, LINGER_MS } from './limits.ts';
import { createOpening } from './opening.ts';
import { type Resting, sameRecord } from './published.ts';
import { type Listed, UNLISTED } from './roster.ts';
import { reset, type Splice, splice } from './splice.ts';
import type { DialFault, Surroundings } from './surroundings.ts';

/** One client connection, from its first byte to its last. */
export interface Passage extends Listed {
  /** What timers would do, twice a second. */
  tick(now: Instant): void;
  /** Ends it now, whatever it is at. */
  cut(ending: 'drained'): void;
}

export interface PassageOptions {
  readonly client: Socket;
  /** The peer's address. */
  readonly address: string;
  readonly onClosed: (passage: Passage) => void;
}

/**
 * hello → reaching → through → over; from each of the first two also → refused → over.
 * While it reaches, nothing is read from the client: its hello is held, and what follows stays with the system.
 */
type State = 'hello' | 'reaching' | 'through' | 'refused' | 'over';

export function createPassage({ client, address, onClosed }: PassageOptions, surroundings: Surroundings): Passage {
  const { recently, limits, published, observer, tally } = surroundings;
  const startedAt = recently();
  const opening = createOpening(createHelloReader(), surroundings.trusted.has(address));
  let state: State = 'hello';
  /** Since when it is in this state. */
  let since = startedAt;
  let isPending = true;
  /** The client's address: the stated one, where that is believed. */
  let stated = address;
  let counted = surroundings.trusted.has(address) ? undefined : address;
  let host = '' as Host;
  let isHostCounted = false;
  /** Its bytes so far. */
  let held: Buffer[] = [];
  let dialled: { readonly record: PublishedRecord; readonly socket: Socket; readonly at: Instant } | undefined;
  let failed: { readonly record: PublishedRecord; readonly at: Instant } | undefined;
  let through: Splice | undefined;
  /** The record was good until then when it was last looked at. */
  let goodUntil = startedAt;
  /** Its record has gone to another owner, and it may go on until `goodUntil`. */
  let isLeft = false;
  let reachedAt = startedAt;
  let openSocketCount = 1;
  /** Node tells the end of a paused socket as soon as it comes, if nothing is left to be read. */
  let hasEndedEarly = false;

  tally.pending += 1;

  function clientData(chunk: Buffer, isLent: boolean): boolean {
    if (through !== undefined) return through.clientData(chunk);
    if (state !== 'hello') return state === 'refused';
    opened(isLent ? Buffer.from(chunk) : chunk);
    // What it has become in there, which the compiler does not see.
    return (state as State) !== 'reaching';
  }

  function opened(chunk: Buffer): void {
    held.push(chunk);
    const said = opening.push(chunk);
    if (said.stated !== undefined && said.stated !== stated) {
      stated = said.stated;
      if (!surroundings.trusted.has(stated)) {
        const over = surroundings.clients.enter(stated);
        if (over !== undefined) return refuse(over);
        counted = stated;
      }
    }
    if (said.kind === 'more') return;
    if (said.kind === 'refused') return refuse(said.reason);
    host = normaliseHost(said.serverName);
    held = said.rest(held);
    if (!surroundings.hosts.enter(host)) return refuse('over-host-limit');
    isHostCounted = true;
    enter('reaching');
    seek();
  }

  function enter(next: State): void {
    state = next;
    since = recently();
  }

  /** Looks where the host is, and goes there; or waits until there is news. */
  function seek(): void {
    if (state !== 'reaching' || dialled !== undefined) return;
    const now = recently();
    const place = published.find(host, now);
    if (place.kind === 'unknown') return refuse('name-unknown');
    const isDown = failed !== undefined && place.kind === 'record' && failed.record === place.record;
    if (place.kind === 'awaited' || (isDown && now < later(failed?.at ?? now, DIAL_AGAIN_MS))) return published.await(host, seek);
    goodUntil = place.until;
    reach(place.record, now);
  }

  function reach(record: PublishedRecord, now: Instant): void {
    // Registered before the dial: a withdrawal finds it, whatever it is at.
    published.rest(record, resting);
    const { address: to, port } = record.endpoint;
    const socket = surroundings.dial(to, port, createInlet(supervisorData));
    const attempt = { record, socket, at: now };
    dialled = attempt;
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (dialled !== attempt) return;
      if (state === 'reaching') dialFailed(error.code === 'ECONNREFUSED' ? 'refused' : 'other');
      else over('supervisor-reset');
    });
    socket.on('connect', () => {
      if (dialled === attempt && state === 'reaching') connected(attempt.socket);
    });
    socket.on('end', () => through?.supervisorEnded());
  }

  const supervisorData = (chunk: Buffer): boolean => through?.supervisorData(chunk) ?? false;

  function dialFailed(fault: DialFault): void {
    const attempt = letGo();
    if (attempt === undefined) return;
    observer.dialFailed(fault, endpointOf(attempt.record));
    failed = { record: attempt.record, at: recently() };
    seek();
  }

  function letGo() {
    const attempt = dialled;
    if (attempt === undefined) return undefined;
    dialled = undefined;
    published.leave(attempt.record, resting);
    attempt.socket.destroy();
    return attempt;
  }

  const resting: Resting = {
    slot: UNLISTED,
    on: undefined,
    recordEnded(end) {
      if (state === 'reaching') {
        letGo();
        return seek();
      }
      if (state !== 'through' || dialled === undefined) return;
      if (!isHandover(end) || limits.handoverMs === 0) return over(end);
      // A withdrawal must still find it.
      published.rest(dialled.record, resting);
      if (!isLeft) goodUntil = later(recently(), limits.handoverMs);
      isLeft = true;
    },
  };

  function connected(socket: Socket): void {
    if (!mayPass(recently())) {
      letGo();
      return seek();
    }
    enter('through');
    reachedAt = since;
    settlePending();
    // A record that was renewed wakes nobody: then the tick has found it, and this still waits.
    published.forget(host, seek);
    observer.reached(reachedAt - startedAt);
    openSocketCount += 1;
    socket.on('close', closedOne);
    if (surroundings.sendsProxy) socket.write(opening.header(client, stated));
    through = splice({ client, supervisor: socket, tally, mayPass: passes, onEnd: over });
    const early = held;
    held = [];
    let isTaken = true;
    for (const chunk of early) isTaken = through.clientData(chunk) && isTaken;
    if (hasEndedEarly) through.clientEnded();
    else if (isTaken) client.resume();
  }

  /** The record is looked at again once it would have run out as it was last seen. */
  function mayPass(now: Instant): boolean {
    if (now < goodUntil) return true;
    const place = isLeft ? undefined : published.find(host, now);
    if (place?.kind !== 'record' || dialled === undefined || !sameRecord(place.record, dialled.record)) return false;
    goodUntil = place.until;
    return true;
  }

  /** Asked before each chunk: a stalled loop delivers bytes before the message that should have ended them. */
  function passes(): Instant | undefined {
    if (state !== 'through') return undefined;
    const now = recently();
    if (mayPass(now)) return now;
    over(isLeft ? 'moved' : 'lapsed');
    return undefined;
  }

  function over(ending: Ending): void {
    if (state !== 'through' || dialled === undefined || through === undefined) return;
    enter('over');
    const { record, socket } = dialled;
    published.leave(record, resting);
    // Whoever rests on nothing any more gets no further byte, in either direction.
    if (ending !== 'complete') for (const each of [client, socket]) reset(each);
    const { bytesIn, bytesOut } = through;
    observer.ended({
      host,
      endpoint: endpointOf(record),
      client: stated,
      ending,
      bytesIn,
      bytesOut,
      durationMs: Math.round(since - startedAt),
      reachedMs: Math.round(reachedAt - startedAt),
    });
  }

  function refuse(reason: Refusal): void {
    if (state !== 'hello' && state !== 'reaching') return;
    enter('refused');
    letGo();
    settlePending();
    published.forget(host, seek);
    held = [];
    observer.refused({ reason, client: stated, ...(host === '' ? {} : { name: host }) });
    const alert = ALERT_OF[reason];
    if (alert === undefined) return void client.destroy();
    client.end(alertRecord(alert));
    // Unread bytes would make the system send a reset, which may overtake the alert.
    client.resume();
  }

  function settlePending(): void {
    if (!isPending) return;
    isPending = false;
    tally.pending -= 1;
    if (counted !== undefined) surroundings.clients.settle(counted);
  }

  function closedOne(): void {
    openSocketCount -= 1;
    // A client that goes while it waits is not waited for.
    refuse('client-gone');
    if (openSocketCount > 0) return;
    // Not before its last byte has left: until then a record that ends must still find it.
    over('complete');
    if (counted !== undefined) surroundings.clients.leave(counted);
    if (isHostCounted) surroundings.hosts.leave(host);
    onClosed(passage);
  }

  if (!lend(client, createInlet(clientData)))
    client.on('data', (chunk: Buffer) => {
      if (!clientData(chunk, false)) client.pause();
    });
  client.on('end', () => {
    if (through !== undefined) through.clientEnded();
    else if (state === 'hello') refuse('client-gone');
    else if (state === 'reaching') hasEndedEarly = true;
    else if (state === 'refused') client.destroy();
  });
  client.on('error', () => over('client-reset'));
  client.on('close', closedOne);

  const passage: Passage = {
    slot: UNLISTED,
    tick(now) {
      switch (state) {
        case 'hello':
          if (now - since >= limits.helloMs) refuse('hello-timeout');
          return;
        case 'reaching':
          if (now - since >= limits.reachMs)
            return refuse(failed === undefined && dialled === undefined ? 'no-record' : 'unreachable');
          if (dialled !== undefined && now - dialled.at >= limits.dialMs) return dialFailed('timeout');
          return seek();
        case 'refused':
          if (now - since >= LINGER_MS) client.destroy();
          return;
        case 'through':
          if (mayPass(now)) return through?.tick(now, limits);
          return over(isLeft ? 'moved' : 'lapsed');
        case 'over':
          // A peer that does not take its last bytes must not hold the sockets for ever.
          if (now - since < limits.halfClosedMs) return;
          client.destroy();
          dialled?.socket.destroy();
      }
    },
    cut(ending) {
      if (state === 'through') return over(ending);
      refuse('draining');
      client.destroy();
    },
  };
  return passage;
}

const endpointOf = ({ endpoint: { address, port } }: PublishedRecord): string => formatAddress({ host: address, port });
