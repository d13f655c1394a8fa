import type { Socket } from 'node:net';

/** What the boundary said to a CONNECT. */
export type ConnectAnswer =
  | { readonly kind: 'connected' }
  /** `why` is the boundary's own word for it. */
  | { readonly kind: 'refused'; readonly why: string };

/** Of the head of an answer; bytes. */
const HEAD_BYTES_MAX = 4_096;
const END = Buffer.from('\r\n\r\n');
const STATUS = /^HTTP\/1\.1 (\d{3})(?: |\r\n)/;
const REFUSAL = /\r\nsallyport-boundary: ([a-z_]{1,40})\r\n/i;

/**
 * Reads one answer and not a byte more: what follows belongs to the application, and is read by whoever gets the socket.
 * Rejects when the connection ends before, or says something else.
 */
export function readConnectAnswer(socket: Socket): Promise<ConnectAnswer> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);

    function onReadable(): void {
      for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read() as Buffer | null) {
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf(END);
        if (end >= 0) return finish(end + END.length);
        if (head.length > HEAD_BYTES_MAX) return fail(new Error('its answer has no end'));
      }
    }

    function finish(end: number): void {
      const text = head.toString('latin1', 0, end);
      const status = STATUS.exec(text)?.[1];
      if (status === undefined) return fail(new Error('it does not speak HTTP'));
      release();
      const rest = head.subarray(end);
      if (rest.length > 0) socket.unshift(rest);
      resolve(status === '200' ? { kind: 'connected' } : { kind: 'refused', why: REFUSAL.exec(text)?.[1] ?? `status ${status}` });
    }

    const fail = (error: Error): void => {
      release();
      reject(error);
    };
    const onEnd = (): void => fail(new Error('it ended the connection'));
    function release(): void {
      socket.removeListener('readable', onReadable);
      socket.removeListener('error', fail);
      socket.removeListener('end', onEnd);
      socket.removeListener('close', onEnd);
    }
    socket.on('readable', onReadable);
    socket.on('error', fail);
    socket.on('end', onEnd);
    socket.on('close', onEnd);
  });
}
