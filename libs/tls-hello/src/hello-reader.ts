import { MESSAGE_HEADER_BYTES, readClientHello } from './client-hello.ts';
import { HELLO_BYTES_MAX, type HelloReading, refused } from './reading.ts';

/**
 * Reads the ClientHello that a connection begins with, in whatever pieces it comes: segments of TCP that cut anywhere, and several
 * TLS records (RFC 8446 section 5.1). Each byte is looked at once, and none behind the hello or its limit, so that a client that
 * sends byte by byte, or a byte a record, costs no more than others.
 */
export interface HelloReader {
  /** The next bytes. Once it has said anything but `more` it says the same again. */
  push(bytes: Uint8Array): HelloReading;
}

const RECORD_HEADER_BYTES = 5;
const RECORD_BYTES_MAX = 16_384;
const HANDSHAKE_RECORD = 22;
const TLS_MAJOR = 3;
const CLIENT_HELLO = 1;

const MORE: HelloReading = { kind: 'more' };

export function createHelloReader(bytesMax: number = HELLO_BYTES_MAX): HelloReader {
  let settled: HelloReading | undefined;
  /** Bytes looked at. */
  let seen = 0;
  /** Of the present record's header, and of its content that is still to come. */
  let headerSeen = 0;
  let recordLength = 0;
  let recordLeft = 0;
  let isFirstRecord = true;
  /** The handshake message, put together from its records. */
  let message: Uint8Array | undefined;
  let messageSeen = 0;
  let messageLength = 0;

  function takeRecordHeader(byte: number): HelloReading | undefined {
    if (headerSeen === 0 && byte !== HANDSHAKE_RECORD) return refused(isFirstRecord ? 'not-tls' : 'malformed');
    if (headerSeen === 1 && byte !== TLS_MAJOR) return refused(isFirstRecord ? 'not-tls' : 'malformed');
    if (headerSeen === 3) recordLength = byte << 8;
    headerSeen += 1;
    if (headerSeen < RECORD_HEADER_BYTES) return undefined;
    recordLength |= byte;
    // An empty record is forbidden, and would come for ever.
    if (recordLength === 0 || recordLength > RECORD_BYTES_MAX) return refused('malformed');
    recordLeft = recordLength;
    isFirstRecord = false;
    return undefined;
  }

  /** The message's own header, which may itself be cut. */
  function takeMessageHeader(byte: number): HelloReading | undefined {
    if (messageSeen === 0 && byte !== CLIENT_HELLO) return refused('malformed');
    if (messageSeen > 0) messageLength = (messageLength << 8) | byte;
    messageSeen += 1;
    if (messageSeen < MESSAGE_HEADER_BYTES) return undefined;
    messageLength += MESSAGE_HEADER_BYTES;
    if (messageLength + RECORD_HEADER_BYTES > bytesMax) return refused('too-large');
    return messageLength === MESSAGE_HEADER_BYTES ? refused('malformed') : undefined;
  }

  function walk(bytes: Uint8Array): HelloReading | undefined {
    for (let at = 0; at < bytes.length; ) {
      if (seen >= bytesMax) return refused('too-large');
      if (recordLeft === 0 || messageSeen < MESSAGE_HEADER_BYTES) {
        const byte = bytes[at] as number;
        at += 1;
        seen += 1;
        let refusal: HelloReading | undefined;
        if (recordLeft === 0) refusal = takeRecordHeader(byte);
        else {
          refusal = takeMessageHeader(byte);
          recordLeft -= 1;
        }
        if (refusal !== undefined) return refusal;
        if (recordLeft === 0 && headerSeen === RECORD_HEADER_BYTES) headerSeen = 0;
        continue;
      }
      const count = Math.min(bytes.length - at, recordLeft, messageLength - messageSeen, bytesMax - seen);
      // Nearly every hello lies in one piece: then nothing is copied.
      if (messageSeen === MESSAGE_HEADER_BYTES && count === messageLength - MESSAGE_HEADER_BYTES)
        return readClientHello(bytes, at, at + count);
      message ??= new Uint8Array(messageLength);
      message.set(bytes.subarray(at, at + count), messageSeen);
      at += count;
      seen += count;
      recordLeft -= count;
      messageSeen += count;
      if (recordLeft === 0) headerSeen = 0;
      if (messageSeen === messageLength) return readClientHello(message, MESSAGE_HEADER_BYTES, messageLength);
    }
    return undefined;
  }

  return {
    push(bytes) {
      settled ??= walk(bytes);
      return settled ?? MORE;
    },
  };
}
