import type { Sent, Timed, WatchMessage } from '@sallyport/catalog';
import * as pb from './gen/sallyport/discovery/v1/discovery.ts';
import { type PublishedRecord, recordMessage, snapshotPartMessage, watchResponseMessage } from './watch.ts';

/**
 * The bytes of what carries records. Hundreds of readers are told the same records, and encoding them was two thirds of what
 * a snapshot cost; of a record only its time to live changes, so the rest is encoded once and kept for as long as the record
 * object is. The order of fields is free, and a repeated field may be put together from pieces
 * (protobuf.dev/programming-guides/encoding, "Message Structure" and "Last One Wins").
 */
export const discoveryMethods = {
  ...pb.DiscoveryServiceService,
  watch: { ...pb.DiscoveryServiceService.watch, responseSerialize: watchResponseBytes },
  getSnapshot: { ...pb.DiscoveryServiceService.getSnapshot, responseSerialize: snapshotResponseBytes },
};

export type SnapshotMessage = Extract<WatchMessage<PublishedRecord>, { kind: 'snapshot' }>;

/** Field number and wire type, in one byte each: proto/sallyport/discovery/v1/discovery.proto. */
const TAGS = { snapshot: 0x12, delta: 0x1a, snapshotRecord: 0x0a, deltaUpsert: 0x22, part: 0x0a, ttlMs: 0x40 };

export function watchResponseBytes(sent: Sent<PublishedRecord>): Buffer {
  const { pingId, message } = sent;
  if (message.kind !== 'snapshot' && message.kind !== 'delta')
    return Buffer.from(pb.WatchResponse.encode(watchResponseMessage(sent)).finish());
  const ping = pb.WatchResponse.encode({ pingId, response: undefined }).finish();
  if (message.kind === 'snapshot') return joined([ping], TAGS.snapshot, ...snapshotBody(message));
  const { response } = watchResponseMessage({ pingId, message: { ...message, upserts: [] } });
  const rest = response?.$case === 'delta' ? pb.Delta.encode(response.value).finish() : NOTHING;
  return joined([ping], TAGS.delta, TAGS.deltaUpsert, message.upserts, rest);
}

export function snapshotResponseBytes(message: SnapshotMessage): Buffer {
  return joined([], TAGS.part, ...snapshotBody(message));
}

const snapshotBody = (message: SnapshotMessage) =>
  [
    TAGS.snapshotRecord,
    message.records,
    pb.SnapshotPart.encode(snapshotPartMessage({ ...message, records: [] })).finish(),
  ] as const;

const NOTHING = new Uint8Array(0);
const kept = new WeakMap<PublishedRecord, Uint8Array>();

function bytesOf(record: PublishedRecord): Uint8Array {
  let bytes = kept.get(record);
  if (bytes === undefined) {
    bytes = pb.Record.encode(recordMessage({ record, ttlMs: 0 })).finish();
    kept.set(record, bytes);
  }
  return bytes;
}

/** `before`, then one field that holds a message: the records, each as a field, and the rest of it. */
function joined(
  before: readonly Uint8Array[],
  tag: number,
  recordTag: number,
  records: readonly Timed<PublishedRecord>[],
  rest: Uint8Array,
): Buffer {
  let bodyLength = rest.length;
  for (const each of records) {
    const length = recordLength(each);
    bodyLength += 1 + varintLength(length) + length;
  }
  const beforeLength = before.reduce((sum, { length }) => sum + length, 0);
  const whole = Buffer.allocUnsafe(beforeLength + 1 + varintLength(bodyLength) + bodyLength);
  let at = 0;
  const put = (bytes: Uint8Array): void => {
    whole.set(bytes, at);
    at += bytes.length;
  };
  const field = (of: number, value: number): void => {
    whole[at] = of;
    at = writeVarint(whole, value, at + 1);
  };
  before.forEach(put);
  field(tag, bodyLength);
  for (const each of records) {
    field(recordTag, recordLength(each));
    put(bytesOf(each.record));
    if (each.ttlMs > 0) field(TAGS.ttlMs, each.ttlMs);
  }
  put(rest);
  return whole;
}

/** Nothing left is the default, and not written. */
const recordLength = ({ record, ttlMs }: Timed<PublishedRecord>): number =>
  bytesOf(record).length + (ttlMs > 0 ? 1 + varintLength(ttlMs) : 0);

const varintLength = (value: number): number => {
  let length = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) length += 1;
  return length;
};

function writeVarint(into: Uint8Array, value: number, at: number): number {
  let [rest, next] = [value >>> 0, at];
  for (; rest > 0x7f; rest >>>= 7) into[next++] = (rest & 0x7f) | 0x80;
  into[next++] = rest;
  return next;
}
