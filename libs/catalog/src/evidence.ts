import type { Installation, RenewalVector, SessionRecord } from '@sallyport/authority';
import {
  type GatewayEpoch,
  type GatewayId,
  type Instant,
  LONG_AGO,
  later,
  type SessionId,
  type StoreRevision,
} from '@sallyport/model';

/**
 * Until when each session's evidence counts, by this replica's own clock (DESIGN section 8).
 *
 * A renewal says how long it had left when its gateway sent it, and which revision that gateway's view had reached then
 * (`asOf`). If that is at or above an echo of our own, the gateway sent it after we sent the echo. So its time is counted
 * from our sending of the newest such echo: that can only end early, and no two machines' clocks are compared.
 */
export interface Evidence {
  /** An echo of our own came back: it was sent at `sentAt` and committed at `revision`. In the order of revisions. */
  echoed(revision: StoreRevision, sentAt: Instant): void;
  /** A renewal vector arrived by watch. One that was merely listed proves nothing, so it is not to be told. */
  renewed(gatewayId: GatewayId, vector: RenewalVector): void;
  /** An installation arrived by watch: a publication is its own first renewal. */
  published(installation: Installation): void;
  /** LONG_AGO: none was ever heard, or it was forgotten. */
  until(session: SessionIdentity): Instant;
  /** The same by `sessionKeyOf`, for who asks often. */
  untilOf(sessionKey: string): Instant;
  /** Rises with everything that may have moved an `until`. */
  readonly version: number;
  /** Forgets what has run out. */
  prune(now: Instant): void;
  /** Whether an echo has come back: without one nothing can be counted. */
  hasEcho(): boolean;
}

export type SessionIdentity = Pick<SessionRecord, 'gatewayId' | 'gatewayEpoch' | 'sessionId'>;

/** Echoes that are kept; at one each second this is four times what the longest evidence could need. */
export const ECHOES_MAX = 64;

interface Echo {
  readonly revision: StoreRevision;
  readonly sentAt: Instant;
}

export function createEvidence(): Evidence {
  let echoes: readonly Echo[] = [];
  const untils = new Map<string, Instant>();
  let version = 0;

  function count(
    gatewayId: GatewayId,
    gatewayEpoch: GatewayEpoch,
    asOf: StoreRevision,
    sessionId: SessionId,
    remainingMs: number,
  ): void {
    const echo = echoes.findLast(({ revision }) => revision <= asOf);
    if (echo === undefined) return;
    const key = keyOf(gatewayId, gatewayEpoch, sessionId);
    const until = later(echo.sentAt, remainingMs);
    // Each renewal is true by itself: one that ends sooner takes nothing from one before it.
    if (until <= (untils.get(key) ?? LONG_AGO)) return;
    untils.set(key, until);
    version += 1;
  }

  return {
    echoed(revision, sentAt) {
      echoes = [...echoes, { revision, sentAt }].slice(-ECHOES_MAX);
    },
    renewed(gatewayId, { gatewayEpoch, asOf, renewals }) {
      for (const { sessionId, remainingMs } of renewals) count(gatewayId, gatewayEpoch, asOf, sessionId, remainingMs);
    },
    published({ renewal }) {
      count(renewal.gatewayId, renewal.gatewayEpoch, renewal.asOf, renewal.sessionId, renewal.remainingMs);
    },
    until: (session) => untils.get(sessionKeyOf(session)) ?? LONG_AGO,
    untilOf: (sessionKey) => untils.get(sessionKey) ?? LONG_AGO,
    get version() {
      return version;
    },
    prune(now) {
      for (const [key, until] of untils) if (until <= now) untils.delete(key);
    },
    hasEcho: () => echoes.length > 0,
  };
}

export const sessionKeyOf = ({ gatewayId, gatewayEpoch, sessionId }: SessionIdentity): string =>
  keyOf(gatewayId, gatewayEpoch, sessionId);

const keyOf = (gatewayId: GatewayId, gatewayEpoch: GatewayEpoch, sessionId: SessionId): string =>
  `${gatewayId}/${gatewayEpoch}/${sessionId}`;
