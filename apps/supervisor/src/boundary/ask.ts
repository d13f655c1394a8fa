import { Agent, request } from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import { err, later, ok, type Result } from '@sallyport/model';
import type { Clock } from '@sallyport/process';

/** One question to the boundary, over a connection that is kept. The error is one sentence for the log. */
export interface Asker {
  ask(
    method: string,
    path: string,
    body: string,
    withinMs: number,
  ): Promise<Result<Readonly<Record<string, unknown>>, AskFailure>>;
  close(): void;
}

/** `why` is the boundary's word for a refusal; absent when it could not be asked. */
export interface AskFailure {
  readonly message: string;
  readonly why?: string;
}

/** Connections that are kept for questions. */
const SOCKETS_MAX = 4;
/** Of an answer; bytes. A signed one with its certificates has a few KiB. */
const ANSWER_BYTES_MAX = 64 * 1_024;

export function createAsker(
  tls: () => ConnectionOptions | undefined,
  checkServerIdentity: NonNullable<ConnectionOptions['checkServerIdentity']>,
  clock: Clock,
): Asker {
  // The agent's own check, not one of each request: with that Node would keep no connection.
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX, maxFreeSockets: SOCKETS_MAX, checkServerIdentity });

  return {
    ask(method, path, body, withinMs) {
      const options = tls();
      if (options === undefined) return Promise.resolve(err({ message: 'no certificates are loaded yet' }));
      return new Promise((resolve) => {
        const sent = request({
          ...options,
          agent,
          method,
          path,
          headers: { 'content-length': Buffer.byteLength(body) },
        } as object);
        const cancel = clock.at(later(clock.now(), withinMs), () => sent.destroy(new Error(`no answer within ${withinMs} ms`)));
        const settle = (answer: Result<Readonly<Record<string, unknown>>, AskFailure>): void => {
          cancel();
          resolve(answer);
        };
        sent.on('error', (error) => settle(err({ message: error.message })));
        sent.on('response', (response) => {
          const chunks: Buffer[] = [];
          let size = 0;
          response.on('data', (chunk: Buffer) => {
            size += chunk.length;
            if (size > ANSWER_BYTES_MAX) sent.destroy(new Error('the answer is too long'));
            else chunks.push(chunk);
          });
          response.on('error', (error) => settle(err({ message: error.message })));
          response.on('end', () => settle(read(response.statusCode, Buffer.concat(chunks).toString('utf8'))));
        });
        sent.end(body);
      });
    },
    close: () => agent.destroy(),
  };
}

function read(status: number | undefined, text: string): Result<Readonly<Record<string, unknown>>, AskFailure> {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    answer = undefined;
  }
  if (typeof answer !== 'object' || answer === null) return err({ message: `status ${status} without a word that can be read` });
  const said = answer as Readonly<Record<string, unknown>>;
  if (status === 200) return ok(said);
  const why = typeof said.refusal === 'string' ? said.refusal : `status ${status}`;
  return err({ message: `it refuses: ${why}`, why });
}
