/** One object of a watch. A Pod is at most 1.5 MiB in etcd; more than this is no watch of ours. */
export const LINE_BYTES_MAX = 4 * 1_024 * 1_024;

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
