import type { Socket } from 'node:net';
import { formatAddress, type Host, type Instant, later, normaliseHost } from '@sallyport/model';
import { lend } from '@sallyport/proxy';
import { alertRecord, createHelloReader } from '@sallyport/tls-hello';
import type { PublishedRecord } from '@sallyport/wire';
import { ALERT_OF, type Ending, isHandover, type RecordEnd, type Refusal } from './endings.ts';
import { createInlet } from './inlet.ts';
import { DIAL_AGAIN_MS, LINGER_MS } from './limits.ts';
import { createOpening, type Opening } from './opening.ts';
import { type Resting, sameRecord, type Waiting } from './published.ts';
import { type Listed, UNLISTED } from './roster.ts';
import { type Gate, reset, Splice } from './splice.ts';
import type { DialFault, Surroundings } from './surroundings.ts';

/**
 * hello → reaching → through → over; from each of the first two also → refused → over.
 * While it reaches, nothing is read from the client: its hello is held, and what follows stays with the system.
 */
type State = 'hello' | 'reaching' | 'through' | 'refused' | 'over';

interface Attempt {
  readonly record: PublishedRecord;
  readonly socket: Socket;
  readonly at: Instant;
}

/**
 * One client connection, from its first byte to its last. An object with methods, for there are thousands of them a second: as many
 * functions as it has would be made for each of them.
 */
export class Passage implements Listed, Waiting, Gate {
  slot = UNLISTED;
  readonly #client: Socket;
  readonly #surroundings: Surroundings;
  readonly #onClosed: (passage: Passage) => void;
  readonly #opening: Opening;
  readonly #startedAt: Instant;
  readonly #resting = new RestingPassage(this);
  #state: State = 'hello';
  /** Since when it is in this state. */
  #since: Instant;
  #isPending = true;
  /** The client's address: the stated one, where that is believed. */
  #stated: string;
  #counted: string | undefined;
  #host = '' as Host;
  #isHostCounted = false;
  /** Its bytes so far. */
  #held: Buffer[] = [];
  #dialled: Attempt | undefined;
  #failed: Pick<Attempt, 'record' | 'at'> | undefined;
  #through: Splice | undefined;
  /** The record was good until then when it was last looked at. */
  #goodUntil: Instant;
  /** Its record has gone to another owner, and it may go on until `goodUntil`. */
  #isLeft = false;
  #reachedAt: Instant;
  #openSocketCount = 1;
  /** Node tells the end of a paused socket as soon as it comes, if nothing is left to be read. */
  #hasEndedEarly = false;

  /** @param address the peer's. */
  constructor(client: Socket, address: string, onClosed: (passage: Passage) => void, surroundings: Surroundings) {
    this.#client = client;
    this.#surroundings = surroundings;
    this.#onClosed = onClosed;
    const isTrusted = surroundings.trusted.has(address);
    this.#opening = createOpening(createHelloReader(), isTrusted);
    this.#stated = address;
    this.#counted = isTrusted ? undefined : address;
    this.#startedAt = surroundings.recently();
    this.#since = this.#startedAt;
    this.#goodUntil = this.#startedAt;
    this.#reachedAt = this.#startedAt;
    surroundings.tally.pending += 1;
    if (
      !lend(
        client,
        createInlet((chunk, isLent) => this.#clientData(chunk, isLent)),
      )
    )
      client.on('data', (chunk: Buffer) => {
        if (!this.#clientData(chunk, false)) client.pause();
      });
    client.on('end', () => this.#clientEnded());
    client.on('error', () => this.over('client-reset'));
    client.on('close', () => this.#closedOne());
  }

  /** What timers would do, twice a second. */
  tick(now: Instant): void {
    const { limits } = this.#surroundings;
    const since = now - this.#since;
    switch (this.#state) {
      case 'hello':
        if (since >= limits.helloMs) this.#refuse('hello-timeout');
        return;
      case 'reaching':
        if (since >= limits.reachMs)
          return this.#refuse(this.#failed === undefined && this.#dialled === undefined ? 'no-record' : 'unreachable');
        if (this.#dialled !== undefined && now - this.#dialled.at >= limits.dialMs) return this.#dialFailed('timeout');
        return this.look();
      case 'refused':
        if (since >= LINGER_MS) this.#client.destroy();
        return;
      case 'through':
        if (this.#mayPassAt(now)) return this.#through?.tick(now, limits);
        return this.over(this.#isLeft ? 'moved' : 'lapsed');
      case 'over':
        // A peer that does not take its last bytes must not hold the sockets for ever.
        if (since < limits.halfClosedMs) return;
        this.#client.destroy();
        this.#dialled?.socket.destroy();
    }
  }

  /** Ends it now, whatever it is at. */
  cut(ending: 'drained'): void {
    if (this.#state === 'through') return this.over(ending);
    this.#refuse('draining');
    this.#client.destroy();
  }

  /** Looks where the host is, and goes there; or waits until there is news. */
  look(): void {
    if (this.#state !== 'reaching' || this.#dialled !== undefined) return;
    const { recently, published } = this.#surroundings;
    const now = recently();
    const place = published.find(this.#host, now);
    if (place.kind === 'unknown') return this.#refuse('name-unknown');
    const isDown = this.#failed !== undefined && place.kind === 'record' && this.#failed.record === place.record;
    if (place.kind === 'awaited' || (isDown && now < later(this.#failed?.at ?? now, DIAL_AGAIN_MS)))
      return published.await(this.#host, this);
    this.#goodUntil = place.until;
    this.#reach(place.record, now);
  }

  /** Asked before each chunk: a stalled loop delivers bytes before the message that should have ended them. */
  mayPass(): Instant | undefined {
    if (this.#state !== 'through') return undefined;
    const now = this.#surroundings.recently();
    if (this.#mayPassAt(now)) return now;
    this.over(this.#isLeft ? 'moved' : 'lapsed');
    return undefined;
  }

  recordEnded(end: RecordEnd): void {
    if (this.#state === 'reaching') {
      this.#letGo();
      return this.look();
    }
    if (this.#state !== 'through' || this.#dialled === undefined) return;
    const { limits, published, recently } = this.#surroundings;
    if (!isHandover(end) || limits.handoverMs === 0) return this.over(end);
    // A withdrawal must still find it.
    published.rest(this.#dialled.record, this.#resting);
    if (!this.#isLeft) this.#goodUntil = later(recently(), limits.handoverMs);
    this.#isLeft = true;
  }

  over(ending: Ending): void {
    if (this.#state !== 'through' || this.#dialled === undefined || this.#through === undefined) return;
    this.#enter('over');
    const { record, socket } = this.#dialled;
    this.#surroundings.published.leave(record, this.#resting);
    // Whoever rests on nothing any more gets no further byte, in either direction.
    if (ending !== 'complete') for (const each of [this.#client, socket]) reset(each);
    const { bytesIn, bytesOut } = this.#through;
    this.#surroundings.observer.ended({
      host: this.#host,
      endpoint: endpointOf(record),
      client: this.#stated,
      ending,
      bytesIn,
      bytesOut,
      durationMs: Math.round(this.#since - this.#startedAt),
      reachedMs: Math.round(this.#reachedAt - this.#startedAt),
    });
  }

  #clientData(chunk: Buffer, isLent: boolean): boolean {
    if (this.#through !== undefined) return this.#through.clientData(chunk);
    if (this.#state !== 'hello') return this.#state === 'refused';
    this.#opened(isLent ? Buffer.from(chunk) : chunk);
    // What it has become in there, which the compiler does not see.
    return (this.#state as State) !== 'reaching';
  }

  #opened(chunk: Buffer): void {
    const { clients, hosts, trusted } = this.#surroundings;
    this.#held.push(chunk);
    const said = this.#opening.push(chunk);
    if (said.stated !== undefined && said.stated !== this.#stated) {
      this.#stated = said.stated;
      if (!trusted.has(this.#stated)) {
        const over = clients.enter(this.#stated);
        if (over !== undefined) return this.#refuse(over);
        this.#counted = this.#stated;
      }
    }
    if (said.kind === 'more') return;
    if (said.kind === 'refused') return this.#refuse(said.reason);
    this.#host = normaliseHost(said.serverName);
    this.#held = said.rest(this.#held);
    if (!hosts.enter(this.#host)) return this.#refuse('over-host-limit');
    this.#isHostCounted = true;
    this.#enter('reaching');
    this.look();
  }

  #clientEnded(): void {
    if (this.#through !== undefined) this.#through.clientEnded();
    else if (this.#state === 'hello') this.#refuse('client-gone');
    else if (this.#state === 'reaching') this.#hasEndedEarly = true;
    else if (this.#state === 'refused') this.#client.destroy();
  }

  #enter(next: State): void {
    this.#state = next;
    this.#since = this.#surroundings.recently();
  }

  #reach(record: PublishedRecord, now: Instant): void {
    // Registered before the dial: a withdrawal finds it, whatever it is at.
    this.#surroundings.published.rest(record, this.#resting);
    const { address: to, port } = record.endpoint;
    const inlet = createInlet((chunk) => this.#through?.supervisorData(chunk) ?? false);
    const socket = this.#surroundings.dial(to, port, inlet);
    const attempt = { record, socket, at: now };
    this.#dialled = attempt;
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (this.#dialled !== attempt) return;
      if (this.#state === 'reaching') this.#dialFailed(error.code === 'ECONNREFUSED' ? 'refused' : 'other');
      else this.over('supervisor-reset');
    });
    socket.on('connect', () => {
      if (this.#dialled === attempt && this.#state === 'reaching') this.#connected(socket);
    });
    socket.on('end', () => this.#through?.supervisorEnded());
  }

  #dialFailed(fault: DialFault): void {
    const attempt = this.#letGo();
    if (attempt === undefined) return;
    this.#surroundings.observer.dialFailed(fault, endpointOf(attempt.record));
    this.#failed = { record: attempt.record, at: this.#surroundings.recently() };
    this.look();
  }

  #letGo(): Attempt | undefined {
    const attempt = this.#dialled;
    if (attempt === undefined) return undefined;
    this.#dialled = undefined;
    this.#surroundings.published.leave(attempt.record, this.#resting);
    attempt.socket.destroy();
    return attempt;
  }

  #connected(socket: Socket): void {
    const { recently, published, observer, sendsProxy, tally } = this.#surroundings;
    if (!this.#mayPassAt(recently())) {
      this.#letGo();
      return this.look();
    }
    this.#enter('through');
    this.#reachedAt = this.#since;
    this.#settlePending();
    // A record that was renewed wakes nobody: then the tick has found it, and this still waits.
    published.forget(this.#host, this);
    observer.reached(this.#reachedAt - this.#startedAt);
    this.#openSocketCount += 1;
    socket.on('close', () => this.#closedOne());
    if (sendsProxy) socket.write(this.#opening.header(this.#client, this.#stated));
    const through = new Splice(this.#client, socket, tally, this);
    this.#through = through;
    const early = this.#held;
    this.#held = [];
    let isTaken = true;
    for (const chunk of early) isTaken = through.clientData(chunk) && isTaken;
    if (this.#hasEndedEarly) through.clientEnded();
    else if (isTaken) this.#client.resume();
  }

  /** The record is looked at again once it would have run out as it was last seen. */
  #mayPassAt(now: Instant): boolean {
    if (now < this.#goodUntil) return true;
    const place = this.#isLeft ? undefined : this.#surroundings.published.find(this.#host, now);
    if (place?.kind !== 'record' || this.#dialled === undefined || !sameRecord(place.record, this.#dialled.record)) return false;
    this.#goodUntil = place.until;
    return true;
  }

  #refuse(reason: Refusal): void {
    if (this.#state !== 'hello' && this.#state !== 'reaching') return;
    this.#enter('refused');
    this.#letGo();
    this.#settlePending();
    this.#surroundings.published.forget(this.#host, this);
    this.#held = [];
    this.#surroundings.observer.refused({
      reason,
      client: this.#stated,
      ...(this.#host === '' ? {} : { name: this.#host }),
    });
    const alert = ALERT_OF[reason];
    if (alert === undefined) return void this.#client.destroy();
    this.#client.end(alertRecord(alert));
    // Unread bytes would make the system send a reset, which may overtake the alert.
    this.#client.resume();
  }

  #settlePending(): void {
    if (!this.#isPending) return;
    this.#isPending = false;
    this.#surroundings.tally.pending -= 1;
    if (this.#counted !== undefined) this.#surroundings.clients.settle(this.#counted);
  }

  #closedOne(): void {
    this.#openSocketCount -= 1;
    // A client that goes while it waits is not waited for.
    this.#refuse('client-gone');
    if (this.#openSocketCount > 0) return;
    // Not before its last byte has left: until then a record that ends must still find it.
    this.over('complete');
    if (this.#counted !== undefined) this.#surroundings.clients.leave(this.#counted);
    if (this.#isHostCounted) this.#surroundings.hosts.leave(this.#host);
    this.#onClosed(this);
  }
}

/** A passage among those that rest on its record; among all of them it has another slot. */
class RestingPassage implements Resting {
  slot = UNLISTED;
  on: PublishedRecord | undefined = undefined;
  readonly #passage: Passage;

  constructor(passage: Passage) {
    this.#passage = passage;
  }

  recordEnded(end: RecordEnd): void {
    this.#passage.recordEnded(end);
  }
}

const endpointOf = ({ endpoint: { address, port } }: PublishedRecord): string => formatAddress({ host: address, port });
