import type { Bytes } from './bytes.ts';
import type { Input } from './input.ts';
import type { Limits } from './limits.ts';
import { CR, HEX, LF, SEMICOLON, VALUE } from './octets.ts';

/** Where in a chunk (RFC 9112 section 7.1) the next byte belongs. */
const STEP = { size: 0, extension: 1, sizeLf: 2, data: 3, dataCr: 4, dataLf: 5 } as const;
type Step = (typeof STEP)[keyof typeof STEP];

/** A size of sixteen digits is already more than a safe integer; more digits are an attempt at some reader's overflow. */
const SIZE_DIGITS_MAX = 16;

/**
 * What `read` came to. `last-chunk`: the size 0 and its line are read, a trailer section follows. A fault is told in words.
 */
export type ChunkedEvent = 'data' | 'last-chunk' | 'more' | 'fault';

export interface ChunkedReader<B> {
  begin(): void;
  read(): ChunkedEvent;
  data: B;
  fault: string;
}

/**
 * Takes chunked framing off, byte for byte, so that input may be cut anywhere. Only what the grammar has: hexadecimal
 * digits, then `;` and an extension or CR LF; no blanks, no sign, no `0x`, no bare LF. Extensions are read over and dropped.
 */
export function createChunkedReader<B extends Bytes<B>>(input: Input<B>, limits: Limits): ChunkedReader<B> {
  let step: Step = STEP.size;
  let digits = 0;
  let left = 0;
  let extensionBytes = 0;

  const reader: ChunkedReader<B> = {
    // Valid only after `read` said data.
    data: undefined as unknown as B,
    fault: '',
    begin() {
      step = STEP.size;
      digits = 0;
      left = 0;
    },
    read() {
      while (input.chunk !== undefined) {
        if (step === STEP.data) {
          reader.data = input.view(left);
          left -= reader.data.length;
          if (left === 0) step = STEP.dataCr;
          return 'data';
        }
        const event = readLine(input.chunk);
        if (event !== undefined) return event;
      }
      return 'more';
    },
  };

  /** Reads framing bytes up to the next data or the end of the input chunk. */
  function readLine(chunk: B): ChunkedEvent | undefined {
    let at = input.at;
    for (; at < chunk.length && step !== STEP.data; at++) {
      const octet = chunk[at] ?? 0;
      switch (step) {
        case STEP.size: {
          const digit = HEX[octet] ?? 255;
          if (digit !== 255) {
            if (++digits > SIZE_DIGITS_MAX) return fail('a chunk size of too many digits');
            left = left * 16 + digit;
            if (left > Number.MAX_SAFE_INTEGER) return fail('a chunk size that is too large');
          } else if (digits === 0) return fail('a chunk without a size');
          else if (octet === CR) step = STEP.sizeLf;
          else if (octet === SEMICOLON) {
            step = STEP.extension;
            extensionBytes = 0;
          } else return fail('a chunk size that is no number');
          break;
        }
        case STEP.extension:
          if (octet === CR) step = STEP.sizeLf;
          else if (VALUE[octet] !== 1) return fail('a control byte in a chunk extension');
          else if (++extensionBytes > limits.chunkExtensionBytesMax) return fail('a chunk extension that is too long');
          break;
        case STEP.sizeLf:
          if (octet !== LF) return fail('a bare CR after a chunk size');
          digits = 0;
          if (left === 0) {
            input.moveTo(at + 1);
            return 'last-chunk';
          }
          step = STEP.data;
          break;
        case STEP.dataCr:
          if (octet !== CR) return fail('no CR LF after chunk data');
          step = STEP.dataLf;
          break;
        case STEP.dataLf:
          if (octet !== LF) return fail('no CR LF after chunk data');
          step = STEP.size;
          break;
      }
    }
    input.moveTo(at);
    return undefined;
  }

  function fail(fault: string): 'fault' {
    reader.fault = fault;
    return 'fault';
  }

  return reader;
}
