import { DEDICATED_TAKEOVER_WAIT_MS, LEASE_MS, OFFER_MS, SHARED_TAKEOVER_WAIT_MS } from '@sallyport/authority';
import { type Instant, LONG_AGO, later } from '@sallyport/model';
import type { Evidence } from '@sallyport/session';
import type { Committed, Gateway, Member, State } from './state.ts';

const NOW = 0 as Instant;
const TICK_MS = 5_000;

/** Leaves out what can have no effect any more, so that states which differ in nothing else are one. */
export function forgetful(state: State): State {
  const [g0, g1] = state.gateways;
  const [m0, m1] = state.members;
  const gateways = [gatewayWithout(g0, m0), gatewayWithout(g1, m1)] as const;
  return { ...state, gateways, members: [memberWithout(m0, gateways[0]), memberWithout(m1, gateways[1])] };
}

const isDead = (at: Instant): boolean => later(at, LEASE_MS) <= NOW;

function gatewayWithout(gateway: Gateway, { end: { standing } }: Member): Gateway {
  const { owner, end, seenAt, fenced, publication, unseen } = gateway;
  const { leasedSequence, challenges } = end;
  const counts = (evidence: Evidence | undefined): boolean =>
    evidence !== undefined && evidence.sequence > leasedSequence && !isDead(evidence.challengeSentAt);
  const open = challenges.open.filter(({ sentAt }) => !isDead(sentAt));
  // The next tick after the wait: longer ago makes no difference.
  const waitMs = standing.mode === 'shared' ? SHARED_TAKEOVER_WAIT_MS : DEDICATED_TAKEOVER_WAIT_MS;
  const waitedMs = Math.ceil(waitMs / TICK_MS) * TICK_MS;
  const isFencing = owner.value.kind === 'fencing' || gateway.write?.to.kind === 'fencing';
  const isWaiting = isFencing && fenced !== undefined;
  return {
    ...gateway,
    unseen: unseen.flatMap((entry): Committed[] => {
      if (entry.kind === 'owner' || standing.mode === 'dedicated') return [entry];
      return counts(entry.vector.evidence) ? [{ ...entry, vector: { ...entry.vector, sentAt: NOW } }] : [];
    }),
    // Asked for offers alone, and whether they are old.
    seenAt: owner.value.kind === 'offered' ? latest(seenAt, OFFER_MS) : NOW,
    fenced: isWaiting ? { ...fenced, fencedAt: latest(fenced.fencedAt, waitedMs) } : undefined,
    echoSentAt: standing.mode === 'shared' ? NOW : gateway.echoSentAt,
    end: {
      ...end,
      challenges: { ...challenges, open },
      evidence: counts(end.evidence) ? end.evidence : undefined,
      leasedSequence: publication === undefined || publication.evidence.sequence > leasedSequence ? 0 : leasedSequence,
      lastGoodReportAt: NOW,
    },
  };
}

const latest = (at: Instant, oldMs: number): Instant => Math.max(at, -oldMs) as Instant;

function memberWithout(member: Member, gateway: Gateway): Member {
  const { session, standing } = member.end;
  if (session === undefined) return member;
  const asked = new Set<number>();
  for (const message of member.toMember) if (message.kind === 'serving-lease') asked.add(message.ackOfReport);
  for (const evidence of [gateway.end.evidence, gateway.publication?.evidence, ...gateway.unseen.map(evidenceOf)])
    if (evidence !== undefined) asked.add(evidence.sequence);
  // One that no lease can come for is as good as forgotten.
  const reports = session.reports.filter(({ sentAt, sequence }) => !isDead(sentAt) && asked.has(sequence));
  const over = (until: Instant): Instant => (until <= NOW ? LONG_AGO : until);
  const ended = { ...standing, leaseUntil: over(standing.leaseUntil), freshUntil: over(standing.freshUntil) };
  // Nor one that comes too late, or asks for what would be too late.
  const open = new Set(gateway.end.challenges.open.map(({ sequence }) => sequence));
  const sent = new Set(reports.map(({ sequence }) => sequence));
  const toMember = member.toMember.filter(
    (message) =>
      (message.kind !== 'challenge' || open.has(message.sequence)) &&
      (message.kind !== 'serving-lease' || sent.has(message.ackOfReport)),
  );
  return {
    ...member,
    toMember,
    saidEpochs: member.saidEpochs.slice(-1),
    heldUntil: standing.released ? over(member.heldUntil) : LONG_AGO,
    end: {
      ...member.end,
      standing: ended,
      session: { ...session, reports, nextHeartbeatAt: Math.max(session.nextHeartbeatAt, NOW) as Instant },
    },
  };
}

const evidenceOf = (entry: Committed): Evidence | undefined => (entry.kind === 'vector' ? entry.vector.evidence : undefined);
