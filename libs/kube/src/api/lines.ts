/**
 * One object of a watch. In etcd it is at most 1.5 MiB, and JSON writes some characters of it as six (`<` is `\u003c`): whoever
 * makes a Pod of those must not end the watch that all others are seen by. More than this is no object.
 */
export const LINE_BYTES_MAX = 16 * 1_024 * 1_024;

/** Splits a stream of bytes into lines; bytes of a character may come apart. False: a line is longer than the bound. */
export function createLines(take: (line: string) => void, bytesMax = LINE_BYTES_MAX): (chunk: Uint8Array) => boolean {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
      const piece = chunk.subarray(from, end);
      from = end + 1;
      if (heldBytes + piece.length > bytesMax) return false;
      const line = held.length === 0 ? Buffer.from(piece) : Buffer.concat([...held, piece]);
      held = [];
      heldBytes = 0;
      if (line.length > 0) take(line.toString('utf8'));
    }
    if (from < chunk.length) {
      held.push(chunk.subarray(from));
      heldBytes += chunk.length - from;
    }
    return heldBytes <= bytesMax;
  };
}

const LF = 0x0a;
