import {
  type CatalogRecord,
  NAMES_PER_MESSAGE_MAX,
  RECORDS_PER_MESSAGE_MAX,
  type Sent,
  type Timed,
  type TombstoneReason,
  type WatchMessage,
} from '@sallyport/catalog';
import type { Failure, Result } from '@sallyport/model';
import { admitted, type Check } from './check.ts';
import * as pb from './gen/sallyport/discovery/v1/discovery.ts';

/** What readers get of a record: also the URL, which the server's configuration makes. */
export interface PublishedRecord extends CatalogRecord {
  readonly url: string;
}

const REASONS: Record<TombstoneReason, pb.TombstoneReason> = {
  withdrawn: pb.TombstoneReason.TOMBSTONE_REASON_WITHDRAWN,
  expired: pb.TombstoneReason.TOMBSTONE_REASON_EXPIRED,
  'owner-changed': pb.TombstoneReason.TOMBSTONE_REASON_OWNER_CHANGED,
  'session-lost': pb.TombstoneReason.TOMBSTONE_REASON_SESSION_LOST,
  'configuration-changed': pb.TombstoneReason.TOMBSTONE_REASON_CONFIGURATION_CHANGED,
  'credential-revoked': pb.TombstoneReason.TOMBSTONE_REASON_CREDENTIAL_REVOKED,
  'endpoint-untrusted': pb.TombstoneReason.TOMBSTONE_REASON_ENDPOINT_UNTRUSTED,
  'grant-revoked': pb.TombstoneReason.TOMBSTONE_REASON_GRANT_REVOKED,
};
const REASON_OF = new Map(Object.entries(REASONS).map(([reason, number]) => [number, reason as TombstoneReason]));

export const recordMessage = ({ record, ttlMs }: Timed<PublishedRecord>): pb.Record => ({
  ...record,
  endpoint: { ...record.endpoint },
  ttlMs,
});

export const snapshotPartMessage = ({
  pages,
  removed,
  token = '',
}: Extract<WatchMessage<PublishedRecord>, { kind: 'snapshot' }>): pb.SnapshotPart => ({
  records: pages.flat().map(recordMessage),
  removed: [...removed],
  token,
});

export const watchResponseMessage = ({ pingId, message }: Sent<PublishedRecord>): pb.WatchResponse => ({
  pingId,
  response: responseOf(message),
});

function responseOf(message: WatchMessage<PublishedRecord>): NonNullable<pb.WatchResponse['response']> {
  switch (message.kind) {
    case 'snapshot':
      return { $case: 'snapshot', value: snapshotPartMessage(message) };
    case 'delta': {
      const { from: fromToken, to: toToken = '', tombstones, upserts } = message;
      const gone = tombstones.map(({ recordId, reason }) => ({ recordId, reason: REASONS[reason] }));
      return { $case: 'delta', value: { fromToken, toToken, tombstones: gone, upserts: upserts.map(recordMessage) } };
    }
    case 'renew': {
      const { floors, singles, isLast } = message;
      const recordIds = singles.map(({ recordId }) => recordId);
      const ttlMs = singles.map((single) => single.ttlMs);
      return { $case: 'renew', value: { floors: [...floors], recordIds, ttlMs, isLast } };
    }
    case 'heartbeat': {
      const { token, lagMs, hasAuthority } = message;
      // Rounded up: the view is never younger than stated.
      return { $case: 'heartbeat', value: { token, lagMs: Math.ceil(lagMs), hasAuthority } };
    }
    case 'resync':
      return { $case: 'resync', value: { reason: message.reason, forget: message.forget } };
  }
}

/** Nothing lives for longer than a lease; milliseconds. */
export const TTL_MS_MAX = 15_000;
const RECORD_ID_LENGTH_MAX = 200;
const TOKEN_LENGTH_MAX = 512;
const URL_LENGTH_MAX = 300;
const RENEWED_BY_LENGTH_MAX = 200;
/** Gateways whose records one message renews. */
const FLOORS_MAX = 1_000;

export const readWatchResponse = (response: pb.WatchResponse): Result<Sent<PublishedRecord>, Failure> =>
  admitted((check) => ({
    pingId: check.epochOrZero<bigint>('ping_id', response.pingId),
    message: messageIn(check, check.required('response', response.response)),
  }));

function messageIn(check: Check, response: NonNullable<pb.WatchResponse['response']>): WatchMessage<PublishedRecord> {
  switch (response.$case) {
    case 'snapshot':
      return readSnapshotPart(check, response.value);
    case 'delta': {
      const { fromToken, toToken, tombstones, upserts } = response.value;
      return {
        kind: 'delta',
        from: check.text('from_token', fromToken, TOKEN_LENGTH_MAX),
        to: check.text('to_token', toToken, TOKEN_LENGTH_MAX) || undefined,
        tombstones: check.list('tombstones', tombstones, NAMES_PER_MESSAGE_MAX, ({ recordId, reason }) => ({
          recordId: recordIdIn(check, recordId),
          // A reason of a later release: whatever it is, the record is gone.
          reason: REASON_OF.get(reason) ?? 'withdrawn',
        })),
        upserts: recordsIn(check, 'upserts', upserts),
      };
    }
    case 'renew': {
      const { floors, recordIds, ttlMs, isLast } = response.value;
      if (recordIds.length !== ttlMs.length) check.fail('record_ids and ttl_ms differ in length');
      return {
        kind: 'renew',
        floors: check.list('floors', floors, FLOORS_MAX, (floor) => ({
          renewedBy: check.text('renewed_by', floor.renewedBy, RENEWED_BY_LENGTH_MAX),
          ttlMs: ttlIn(check, floor.ttlMs),
        })),
        singles: check
          .list('record_ids', recordIds, NAMES_PER_MESSAGE_MAX, (recordId) => recordIdIn(check, recordId))
          .map((recordId, index) => ({ recordId, ttlMs: ttlIn(check, ttlMs[index] ?? 0) })),
        isLast,
      };
    }
    case 'heartbeat': {
      const { token, lagMs, hasAuthority } = response.value;
      return { kind: 'heartbeat', token: check.text('token', token, TOKEN_LENGTH_MAX), lagMs, hasAuthority };
    }
    case 'resync':
      return { kind: 'resync', reason: response.value.reason.slice(0, 200), forget: response.value.forget };
  }
}

export const readSnapshotPart = (
  check: Check,
  { records, removed, token }: pb.SnapshotPart,
): Extract<WatchMessage<PublishedRecord>, { kind: 'snapshot' }> => ({
  kind: 'snapshot',
  pages: [recordsIn(check, 'records', records)],
  removed: check.list('removed', removed, NAMES_PER_MESSAGE_MAX, (recordId) => recordIdIn(check, recordId)),
  token: check.text('token', token, TOKEN_LENGTH_MAX) || undefined,
});

/** A server of a later release may put more into one message, within its bytes. */
const recordsIn = (check: Check, field: string, records: readonly pb.Record[]): Timed<PublishedRecord>[] =>
  check.list(field, records, 10 * RECORDS_PER_MESSAGE_MAX, (record) => readRecord(check, record));

export function readRecord(check: Check, record: pb.Record): Timed<PublishedRecord> {
  const endpoint = check.required('endpoint', record.endpoint);
  return {
    ttlMs: ttlIn(check, record.ttlMs),
    record: {
      recordId: recordIdIn(check, record.recordId),
      workspace: check.workspace('workspace', record.workspace),
      sandbox: check.sandbox('sandbox', record.sandbox),
      service: check.service('service', record.service),
      host: check.host('host', record.host),
      url: check.text('url', record.url, URL_LENGTH_MAX),
      endpoint: {
        address: check.text('endpoint.address', endpoint.address, 253),
        port: check.port('endpoint.port', endpoint.port),
        podUid: check.text('endpoint.pod_uid', endpoint.podUid, 128),
      },
      ownerEpoch: check.epoch('owner_epoch', record.ownerEpoch),
      configRevision: check.epochOrZero('config_revision', record.configRevision),
      renewedBy: check.text('renewed_by', record.renewedBy, RENEWED_BY_LENGTH_MAX),
    },
  };
}

const recordIdIn = (check: Check, recordId: string): string => check.text('record_id', recordId, RECORD_ID_LENGTH_MAX);
const ttlIn = (check: Check, ttlMs: number): number => check.atMost('ttl_ms', ttlMs, TTL_MS_MAX);
