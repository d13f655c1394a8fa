import type { Failure, GatewayId, OwnerEpoch, Result, SessionId } from '@sallyport/model';
import type { GatewayMessage, OwnershipState } from '@sallyport/session';
import { admitted, type Check, CREDENTIAL_LENGTH_MAX } from './check.ts';
import { configurationMessage, nameIn, readConfiguration } from './configuration.ts';
import * as pb from './gen/sallyport/supervisor/v1/supervisor.ts';

/** Nothing is leased for longer than the protocol's lease; milliseconds. */
export const LEASE_TTL_MS_MAX = 15_000;
/** A view older than this renews nothing anyway; milliseconds. */
export const AGE_MS_MAX = 86_400_000;

const OWNERSHIP_STATES: Record<OwnershipState, pb.OwnershipState> = {
  none: pb.OwnershipState.OWNERSHIP_STATE_NONE,
  offered: pb.OwnershipState.OWNERSHIP_STATE_OFFERED,
  owned: pb.OwnershipState.OWNERSHIP_STATE_OWNED,
};

export function sessionResponseMessage(message: GatewayMessage): pb.SessionResponse {
  switch (message.kind) {
    case 'accepted':
      return { response: { $case: 'accepted', value: { sessionId: message.sessionId, gatewayId: message.gatewayId } } };
    case 'ownership':
      return {
        response: { $case: 'ownership', value: { ownerEpoch: message.ownerEpoch, state: OWNERSHIP_STATES[message.state] } },
      };
    case 'configuration':
      return { response: { $case: 'configuration', value: configurationMessage(message.configuration) } };
    case 'challenge':
      return { response: { $case: 'challenge', value: { nonce: message.nonce, sequence: BigInt(message.sequence) } } };
    case 'serving-lease': {
      const { ackOfReport, ownerEpoch, ttlMs, boundaryToken } = message;
      const value = { ackOfReport: BigInt(ackOfReport), ownerEpoch, ttlMs: wholeMs(ttlMs), boundaryToken: boundaryToken ?? '' };
      return { response: { $case: 'servingLease', value } };
    }
    case 'heartbeat-ack':
      // Rounded up: the view is never younger than stated.
      return {
        response: { $case: 'heartbeatAck', value: { sequence: BigInt(message.sequence), ageMs: Math.ceil(message.ageMs) } },
      };
    case 'release':
      return { response: { $case: 'release', value: { ownerEpoch: message.ownerEpoch } } };
    case 'release-ack':
      return { response: { $case: 'releaseAck', value: { ownerEpoch: message.ownerEpoch } } };
    case 'fence':
      return { response: { $case: 'fence', value: { token: message.token } } };
  }
}

/** Rounded down: a lease is never longer than it was given. */
const wholeMs = (ms: number): number => Math.max(0, Math.floor(ms));

/** One message of a gateway on a Session stream, read strictly. `malformed`: it is none; the supervisor should reconnect. */
export const parseSessionResponse = (message: pb.SessionResponse): Result<GatewayMessage, Failure> =>
  admitted((check) => readResponse(check, check.required('response', message.response)));

function readResponse(check: Check, response: NonNullable<pb.SessionResponse['response']>): GatewayMessage {
  switch (response.$case) {
    case 'accepted':
      return {
        kind: 'accepted',
        sessionId: check.id<SessionId>('session_id', response.value.sessionId),
        gatewayId: check.id<GatewayId>('gateway_id', response.value.gatewayId),
      };
    case 'ownership':
      return readOwnership(check, response.value);
    case 'configuration':
      return { kind: 'configuration', configuration: readConfiguration(check, 'configuration', response.value) };
    case 'challenge':
      return {
        kind: 'challenge',
        nonce: check.nonce('nonce', response.value.nonce),
        sequence: check.sequence('sequence', response.value.sequence),
      };
    case 'servingLease': {
      const { ackOfReport, ownerEpoch, ttlMs, boundaryToken } = response.value;
      return {
        kind: 'serving-lease',
        ackOfReport: check.sequence('ack_of_report', ackOfReport),
        ownerEpoch: check.epoch<OwnerEpoch>('owner_epoch', ownerEpoch),
        ttlMs: check.atMost('ttl_ms', ttlMs, LEASE_TTL_MS_MAX),
        boundaryToken: boundaryToken === '' ? undefined : check.text('boundary_token', boundaryToken, CREDENTIAL_LENGTH_MAX),
      };
    }
    case 'heartbeatAck':
      return {
        kind: 'heartbeat-ack',
        sequence: check.sequence('sequence', response.value.sequence),
        ageMs: check.atMost('age_ms', response.value.ageMs, AGE_MS_MAX),
      };
    case 'release':
      return { kind: 'release', ownerEpoch: check.epoch<OwnerEpoch>('owner_epoch', response.value.ownerEpoch) };
    case 'releaseAck':
      return { kind: 'release-ack', ownerEpoch: check.epoch<OwnerEpoch>('owner_epoch', response.value.ownerEpoch) };
    case 'fence':
      return { kind: 'fence', token: check.credential('token', response.value.token) };
  }
}

function readOwnership(check: Check, { ownerEpoch, state }: pb.Ownership): GatewayMessage {
  const known = nameIn(OWNERSHIP_STATES, state) ?? check.fail<OwnershipState>('state is not known');
  const epoch =
    known === 'none'
      ? check.epochOrZero<OwnerEpoch>('owner_epoch', ownerEpoch)
      : check.epoch<OwnerEpoch>('owner_epoch', ownerEpoch);
  return { kind: 'ownership', ownerEpoch: epoch, state: known };
}
