import type { IncomingMessage, ServerResponse } from 'node:http';
import { err, ok, type Result } from '@sallyport/model';
import type { Log } from '@sallyport/process';
import { signFenceAnswer, type TlsMaterial } from '@sallyport/wire';
import type { Guard } from './guard.ts';
import { BODY_BYTES_MAX } from './limits.ts';
import { type OnRefused, REFUSAL_FIELD, type Refusal, statusOf } from './refusals.ts';

export interface RequestOptions {
  readonly guard: Guard;
  /** Names this life of the process. */
  readonly life: string;
  readonly material: () => TlsMaterial;
  readonly onRefused: OnRefused;
  readonly log: Log;
}

/** What supervisors ask besides a way to the application: a nonce, a longer right, the confirmation of a fence. */
export function createRequestHandler(options: RequestOptions): (request: IncomingMessage, response: ServerResponse) => void {
  const { onRefused, log } = options;
  return (request, response) => {
    const answered = answer(request, options).then(
      (outcome) => {
        if (outcome.ok) return send(response, 200, outcome.value);
        onRefused(outcome.error, request.socket.remoteAddress);
        response.setHeader(REFUSAL_FIELD, outcome.error);
        // The rest of a body that is too large is not worth reading.
        if (outcome.error === 'too_large') response.setHeader('connection', 'close');
        return send(response, statusOf(outcome.error), { refusal: outcome.error });
      },
      (error: Error) => {
        log.error({ err: error }, 'a request failed unexpectedly');
        response.destroy();
      },
    );
    void answered;
  };
}

async function answer(
  request: IncomingMessage,
  { guard, life, material, log }: RequestOptions,
): Promise<Result<object, Refusal>> {
  const body = await bodyOf(request);
  if (body === undefined) return err('too_large');
  switch (`${request.method} ${request.url}`) {
    case 'POST /nonce': {
      const nonce = guard.issue();
      return nonce.ok ? ok({ nonce: nonce.value, life }) : nonce;
    }
    case 'PUT /token': {
      const claims = await guard.present(body);
      return claims.ok ? ok({ life }) : claims;
    }
    case 'POST /fence': {
      const order = await guard.fence(body);
      if (!order.ok) return order;
      const { sandboxId, epoch } = order.value;
      log.info({ sandboxId, ownerEpoch: epoch }, 'fenced: nothing below this epoch reaches the application');
      return ok({ life, answer: Buffer.from(await signFenceAnswer(material(), order.value)).toString('latin1') });
    }
    default:
      return err('not_found');
  }
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Left early it must stay open: the answer goes the same way.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_BYTES_MAX) {
      request.resume();
      return undefined;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('latin1');
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(`${JSON.stringify(body)}\n`);
}
