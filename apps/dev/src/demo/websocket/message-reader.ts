import { isUtf8 } from 'node:buffer';
import { CLOSE, OPCODE } from './frame.ts';
import { createFrameReader, type Frame, type FrameReader, type Violation } from './frame-reader.ts';

export type Incoming =
  | { readonly kind: 'message'; readonly opcode: number; readonly payload: Buffer }
  | { readonly kind: 'ping'; readonly payload: Buffer }
  | { readonly kind: 'pong' }
  /** `code` is absent when the peer stated none. */
  | { readonly kind: 'close'; readonly code: number | undefined };

/** Puts fragments together, with control frames between them, and bounds the whole message. */
export function createMessageReader(messageBytesMax: number, deliver: (incoming: Incoming) => void): FrameReader {
  let opcode: number | undefined;
  let fragments: Buffer[] = [];
  let byteCount = 0;

  function onData(frame: Frame): Violation | undefined {
    const isFirst = frame.opcode !== OPCODE.continuation;
    if (isFirst === (opcode !== undefined))
      return { code: CLOSE.protocol, reason: isFirst ? 'a message begins inside another' : 'a message goes on that never began' };
    opcode ??= frame.opcode;
    byteCount += frame.payload.length;
    if (byteCount > messageBytesMax) return { code: CLOSE.tooBig, reason: `a message has at most ${messageBytesMax} bytes` };
    // Empty fragments are legal and endless: keep none.
    if (frame.payload.length > 0) fragments.push(frame.payload);
    if (!frame.final) return undefined;
    const whole = { kind: 'message', opcode, payload: Buffer.concat(fragments, byteCount) } as const;
    opcode = undefined;
    fragments = [];
    byteCount = 0;
    if (whole.opcode === OPCODE.text && !isUtf8(whole.payload)) return { code: CLOSE.notText, reason: 'a text is not UTF-8' };
    deliver(whole);
    return undefined;
  }

  function onClose({ payload }: Frame): Violation | undefined {
    if (payload.length === 0) {
      deliver({ kind: 'close', code: undefined });
      return undefined;
    }
    const code = payload.length === 1 ? 0 : payload.readUInt16BE();
    if (!mayBeSent(code)) return { code: CLOSE.protocol, reason: 'this close code may not be sent' };
    if (!isUtf8(payload.subarray(2))) return { code: CLOSE.notText, reason: 'a reason is not UTF-8' };
    deliver({ kind: 'close', code });
    return undefined;
  }

  return createFrameReader(messageBytesMax, (frame) => {
    switch (frame.opcode) {
      case OPCODE.close:
        return onClose(frame);
      case OPCODE.ping:
        deliver({ kind: 'ping', payload: frame.payload });
        return undefined;
      case OPCODE.pong:
        deliver({ kind: 'pong' });
        return undefined;
      default:
        return onData(frame);
    }
  });
}

/** Section 7.4: 1004 to 1006 and 1015 mean things that no peer says. */
const mayBeSent = (code: number): boolean =>
  (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
