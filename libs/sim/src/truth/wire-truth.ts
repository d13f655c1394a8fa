import { FRESHNESS_MS, LEASE_MS, type Ownership } from '@sallyport/authority';
import type { ConfigRevision, MemberId, OwnerEpoch, SandboxId, SessionId } from '@sallyport/model';
import { parseSessionRequest, parseSessionResponse, type supervisorV1 } from '@sallyport/wire';
import type { Coverage } from '../coverage.ts';
import type { SimProcess } from '../time/sim-process.ts';
import type { Transcript } from '../transcript.ts';
import type { Names } from './names.ts';
import type { Overtaken } from './overtaken.ts';
import type { Tenures } from './tenures.ts';
import type { Court } from './violations.ts';

/** What was truly said between members and gateways, and until when it lets a member serve: by true time, on no clock. */
export interface WireTruth {
  /** A stream begins; the result is told each of its messages. */
  opened(kind: 'join' | 'session', member: SimProcess, gateway: SimProcess): Observe;
  /** A poll is sent; the result is told its answer. */
  polled(
    member: SimProcess,
    request: supervisorV1.PollConfigurationRequest,
  ): (response: supervisorV1.PollConfigurationResponse) => void;
  allowed(member: string, sandboxId: SandboxId): Allowed;
}

export type Observe = (way: 'up' | 'down', moment: 'sent' | 'arrived', message: unknown) => void;

/** True instants. */
export interface Allowed {
  /** By the leases that have arrived, counted from the true sending of the reports that they acknowledge. */
  leaseUntil: number;
  /** By heartbeats and polls that were answered. */
  freshUntil: number;
  lastReportAt: number;
}

interface SentReport {
  readonly at: number;
  readonly sessionId: SessionId;
  readonly configRevision: ConfigRevision;
}

export interface WireTruthOptions {
  readonly now: () => number;
  readonly court: Court;
  readonly coverage: Coverage;
  readonly transcript: Transcript;
  readonly names: Names;
  readonly tenures: Tenures;
  readonly overtaken: Overtaken;
  /** The owner on record as this gateway sees it now. */
  readonly ownerSeenBy: (gateway: SimProcess, sandboxId: SandboxId) => Ownership | undefined;
}

type NonceUse = 'issued' | 'answered';
/** Nonces that are remembered: more than are issued while one of them can still be under way. */
const NONCES_MAX = 20_000;

/** The slowest clock that DESIGN allows. */
const SLOWEST = 0.99;
const NOT_YET = Number.NEGATIVE_INFINITY;

export function createWireTruth(options: WireTruthOptions): WireTruth {
  const { now, court, coverage, transcript, names, tenures, overtaken, ownerSeenBy } = options;
  const all = new Map<string, Allowed>();
  const nonces = new Map<string, NonceUse>();

  const allowed = (member: string, sandboxId: SandboxId): Allowed => {
    const key = `${member}/${sandboxId}`;
    const known = all.get(key) ?? { leaseUntil: NOT_YET, freshUntil: NOT_YET, lastReportAt: NOT_YET };
    all.set(key, known);
    return known;
  };

  /** A nonce is issued once by anybody, and answered once, and only then. */
  function counts(nonce: string, before: NonceUse | undefined, use: NonceUse, told: string): void {
    court.looked('a nonce counts once');
    if (nonces.get(nonce) !== before) court.broken('a nonce counts once', `${told} with one that was ${nonces.get(nonce)}`);
    nonces.set(nonce, use);
    for (const oldest of nonces.keys()) {
      if (nonces.size <= NONCES_MAX) break;
      nonces.delete(oldest);
    }
  }

  function fresh(to: Allowed, askedAt: number, ageMs: number): void {
    to.freshUntil = Math.max(to.freshUntil, askedAt + (FRESHNESS_MS - ageMs * SLOWEST) / SLOWEST);
  }

  function session(member: SimProcess, gateway: SimProcess): Observe {
    const reports = new Map<number, SentReport>();
    const heartbeats = new Map<number, number>();
    let sandboxId: SandboxId | undefined;
    let acknowledged = 0;

    function up({ request }: supervisorV1.SessionRequest): void {
      if (request?.$case === 'hello') sandboxId = request.value.sandboxId as SandboxId;
      if (request?.$case === 'heartbeat') heartbeats.set(Number(request.value.sequence), now());
      if (request?.$case !== 'report' || sandboxId === undefined) return;
      const { sequence, sessionId, configRevision, nonce } = request.value;
      counts(nonce, 'issued', 'answered', `${member.name} answers`);
      reports.set(Number(sequence), {
        at: now(),
        sessionId: sessionId as SessionId,
        configRevision: configRevision as ConfigRevision,
      });
      allowed(member.name, sandboxId).lastReportAt = now();
    }

    function leaseSent({ ackOfReport, ownerEpoch }: supervisorV1.ServingLease, about: SandboxId): void {
      court.looked('a nonce counts once');
      court.looked('no lease after a fence was seen');
      court.looked('no lease for a report after the fence');
      court.looked('no lease for a report of what is past');
      coverage['leases granted'] += 1;
      const sequence = Number(ackOfReport);
      const told = `${gateway.name} leases ${names.sandbox(about)} to ${member.name} for report ${sequence}`;
      if (sequence <= acknowledged) court.broken('a nonce counts once', `${told} again`);
      acknowledged = sequence;
      const seen = ownerSeenBy(gateway, about);
      if (seen?.kind !== 'owned' || seen.by !== (member.name as MemberId) || seen.epoch !== ownerEpoch)
        court.broken('no lease after a fence was seen', `${told}, and sees ${names.ownership(about, seen)}`);
      const report = reports.get(sequence);
      const endedAt = tenures.endedAt(about, ownerEpoch as OwnerEpoch);
      if (report === undefined) return court.broken('a nonce counts once', `${told}, which was never sent`);
      if (endedAt !== undefined && report.at > endedAt)
        court.broken(
          'no lease for a report after the fence',
          `${told}, sent ${(report.at - endedAt).toFixed(0)} ms after the fence`,
        );
      const past = overtaken.first({ sandboxId: about, ...report });
      if (past !== undefined && report.at > past.at)
        court.broken(
          'no lease for a report of what is past',
          `${told}, sent ${(report.at - past.at).toFixed(0)} ms after ${past.what} was overtaken`,
        );
    }

    function down(moment: 'sent' | 'arrived', { response }: supervisorV1.SessionResponse): void {
      if (sandboxId === undefined || response === undefined) return;
      if (moment === 'sent') {
        if (response.$case === 'servingLease') leaseSent(response.value, sandboxId);
        if (response.$case === 'challenge') counts(response.value.nonce, undefined, 'issued', `${gateway.name} asks`);
        return;
      }
      const mine = allowed(member.name, sandboxId);
      if (response.$case === 'servingLease') {
        const report = reports.get(Number(response.value.ackOfReport));
        if (report !== undefined) mine.leaseUntil = Math.max(mine.leaseUntil, report.at + LEASE_MS / SLOWEST);
      }
      if (response.$case === 'heartbeatAck') {
        const askedAt = heartbeats.get(Number(response.value.sequence));
        if (askedAt !== undefined) fresh(mine, askedAt, response.value.ageMs);
      }
    }

    return (way, moment, message) => {
      if (way === 'up' && moment === 'sent') up(message as supervisorV1.SessionRequest);
      if (way === 'down') down(moment, message as supervisorV1.SessionResponse);
      if (transcript.wants('story') && sandboxId !== undefined) tell(way, moment, message, sandboxId);
    };

    function tell(way: 'up' | 'down', moment: 'sent' | 'arrived', message: unknown, about: SandboxId): void {
      const parsed =
        way === 'up'
          ? parseSessionRequest(message as supervisorV1.SessionRequest)
          : parseSessionResponse(message as supervisorV1.SessionResponse);
      if (!parsed.ok) return;
      const { kind } = parsed.value;
      const routine = ['challenge', 'report', 'heartbeat', 'heartbeat-ack', 'serving-lease'].includes(kind);
      const level = routine || moment === 'sent' ? 'detail' : 'story';
      if (!transcript.wants(level)) return;
      const [from, to] = way === 'up' ? [member.name, gateway.name] : [gateway.name, member.name];
      const said = wordsOf(parsed.value, about, names);
      if (moment === 'sent') transcript.say(level, from, `to ${to} about ${names.sandbox(about)}: ${said}`);
      else transcript.say(level, to, `hears from ${from} about ${names.sandbox(about)}: ${said}`);
    }
  }

  return {
    opened: (kind, member, gateway) => (kind === 'session' ? session(member, gateway) : () => undefined),
    polled(member, request) {
      const askedAt = now();
      return ({ ageMs }) => fresh(allowed(member.name, request.sandboxId as SandboxId), askedAt, ageMs);
    },
    allowed,
  };
}

function wordsOf(message: object & { readonly kind: string }, about: SandboxId, names: Names): string {
  const parts = [message.kind];
  if ('state' in message) parts.push(String(message.state));
  if ('ownerEpoch' in message && message.ownerEpoch !== 0n) parts.push(names.epoch(about, message.ownerEpoch as OwnerEpoch));
  if ('revision' in message) parts.push(`r${String(message.revision)}`);
  if ('configuration' in message) parts.push(`r${(message.configuration as { revision: bigint }).revision}`);
  if ('sequence' in message) parts.push(`#${String(message.sequence)}`);
  if ('ackOfReport' in message) parts.push(`#${String(message.ackOfReport)}`);
  if ('ageMs' in message) parts.push(`age ${String(message.ageMs)} ms`);
  return parts.join(' ');
}
