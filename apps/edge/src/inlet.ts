import type { OnReadOpts } from 'node:net';

/**
 * Memory for what a socket reads. Node makes 64 KiB anew for each read otherwise, and that costs more than all the rest that is
 * done with them here: they are never in the processor's cache.
 *
 * A socket that has little to say reads into memory that all such sockets have in common, and what it read is copied out; one
 * that fills it gets memory of its own, which is used again for each read, until it has little to say again.
 */
const COMMON_BYTES = 16_384;
const OWN_BYTES = 65_536;
/** Kept for the next socket that needs one. */
const SPARE_MAX = 64;

const common = Buffer.allocUnsafeSlow(COMMON_BYTES);
const spare: Buffer[] = [];

/**
 * @param take gets each chunk, and says whether the next may be read. One that is lent is the caller's until then, and only so long:
 * whoever says yes has no more use for it.
 */
export function createInlet(take: (chunk: Buffer, isLent: boolean) => boolean): OnReadOpts {
  let own: Buffer | undefined;
  /** Where to read from the next time on. */
  let next: Buffer | undefined = common;

  function taken(count: number, bytes: Buffer): boolean {
    const read = bytes.subarray(0, count);
    const goesOn = own === undefined ? take(Buffer.from(read), false) : take(read, true);
    if (own === undefined && count === COMMON_BYTES) {
      own = spare.pop() ?? Buffer.allocUnsafeSlow(OWN_BYTES);
      next = own;
    } else if (own !== undefined && count < COMMON_BYTES) {
      // Where the chunk is still being written, its memory is left to it.
      if (goesOn && spare.length < SPARE_MAX) spare.push(own);
      own = undefined;
      next = common;
    }
    return goesOn;
  }

  return {
    // Node goes on with the one before where it gets none, which its types do not know.
    buffer: () => {
      const given = next;
      next = undefined;
      return given as Buffer;
    },
    callback: (count, bytes) => taken(count, bytes as Buffer),
  };
}
