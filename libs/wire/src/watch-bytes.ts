import type { Page, Sent, Timed, WatchMessage } from '@sallyport/catalog';
import * as pb from './gen/sallyport/discovery/v1/discovery.ts';
import { type PublishedRecord, recordMessage, snapshotPartMessage, watchResponseMessage } from './watch.ts';

/**
 * The bytes of what carries records. Hundreds of readers are told the same pages, and encoding them for each was most of what a
 * snapshot cost; so the bytes of a page are kept for as long as its array is, and of a record all but its time to live for as
 * long as the record object is. The order of fields is free, and a repeated field may be put together from pieces
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
  if (message.kind === 'snapshot') return joined(ping, TAGS.snapshot, snapshotPieces(message));
  const { response } = watchResponseMessage({ pingId, message: { ...message, upserts: [] } });
  const rest = response?.$case === 'delta' ? pb.Delta.encode(response.value).finish() : NOTHING;
  return joined(ping, TAGS.delta, [recordFields(TAGS.deltaUpsert, message.upserts), rest]);
}

export function snapshotResponseBytes(message: SnapshotMessage): Buffer {
  return joined(NOTHING, TAGS.part, snapshotPieces(message));
}

const snapshotPieces = (message: SnapshotMessage): Uint8Array[] => [
  ...message.pages.map(pageBytes),
  pb.SnapshotPart.encode(snapshotPartMessage({ ...message, pages: [] })).finish(),
];

const NOTHING = new Uint8Array(0);
const bytesOfRecord = new WeakMap<PublishedRecord, Uint8Array>();
const bytesOfPage = new WeakMap<Page<PublishedRecord>, Uint8Array>();

function recordBytes(record: PublishedRecord): Uint8Array {
  let bytes = bytesOfRecord.get(record);
  if (bytes === undefined) {
    bytes = pb.Record.encode(recordMessage({ record, ttlMs: 0 })).finish();
    bytesOfRecord.set(record, bytes);
  }
  return bytes;
}

function pageBytes(page: Page<PublishedRecord>): Uint8Array {
  let bytes = bytesOfPage.get(page);
  if (bytes === undefined) {
    bytes = recordFields(TAGS.snapshotRecord, page);
    bytesOfPage.set(page, bytes);
  }
  return bytes;
}

/** Each record as a field of the message that holds it. */
function recordFields(tag: number, records: Page<PublishedRecord>): Uint8Array {
  let length = 0;
  for (const each of records) length += 1 + varintLength(recordLength(each)) + recordLength(each);
  const whole = new Uint8Array(length);
  let at = 0;
  for (const each of records) {
    whole[at] = tag;
    at = writeVarint(whole, recordLength(each), at + 1);
    const bytes = recordBytes(each.record);
    whole.set(bytes, at);
    at += bytes.length;
    if (each.ttlMs === 0) continue;
    whole[at] = TAGS.ttlMs;
    at = writeVarint(whole, each.ttlMs, at + 1);
  }
  return whole;
}

/** `before`, then one field that holds a message of these pieces. */
function joined(before: Uint8Array, tag: number, pieces: readonly Uint8Array[]): Buffer {
  const bodyLength = pieces.reduce((sum, { length }) => sum + length, 0);
  const whole = Buffer.allocUnsafe(before.length + 1 + varintLength(bodyLength) + bodyLength);
  whole.set(before);
  whole[before.length] = tag;
  let at = writeVarint(whole, bodyLength, before.length + 1);
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Nothing left is the default, and not written. */
const recordLength = ({ record, ttlMs }: Timed<PublishedRecord>): number =>
  recordBytes(record).length + (ttlMs > 0 ? 1 + varintLength(ttlMs) : 0);

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
