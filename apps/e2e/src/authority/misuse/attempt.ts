import type { FailureKind } from '@sallyport/model';
import { call, type Link, openServerStream, openStream } from '@sallyport/wire';

/** Any method of the generated definitions, with whatever bytes. */
export interface AnyMethod {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
}

/** No misuse takes longer to be refused; milliseconds. */
const REFUSED_WITHIN_MS = 30_000;

/** As the server gave it; what came back in another way is no refusal that a test expects. */
const STATUS: Partial<Record<FailureKind, string>> = {
  malformed: 'INVALID_ARGUMENT',
  unauthenticated: 'UNAUTHENTICATED',
  forbidden: 'PERMISSION_DENIED',
  unknown: 'NOT_FOUND',
  fenced: 'FAILED_PRECONDITION',
  conflict: 'ABORTED',
  'over-limit': 'RESOURCE_EXHAUSTED',
  'not-ready': 'UNAVAILABLE',
};

/** Sends one message as given and says with which status the call ended. */
export async function attempt(link: Link, method: AnyMethod, bytes: Buffer, bearer?: string): Promise<string> {
  const asGiven = { ...method, requestSerialize: () => bytes, responseDeserialize: (answer: Buffer) => answer } as never;
  const signal = AbortSignal.timeout(REFUSED_WITHIN_MS);
  if (!method.responseStream) {
    const answer = await call(link, asGiven, undefined, { deadlineMs: REFUSED_WITHIN_MS, bearer });
    return answer.ok ? 'OK' : (STATUS[answer.error.kind] ?? answer.error.kind);
  }
  const stream = method.requestStream
    ? openStream<unknown, unknown>(link, asGiven, { bearer, signal })
    : openServerStream<unknown, unknown>(link, asGiven, undefined, { bearer, signal });
  if (method.requestStream) stream.send(undefined as never);
  const reading = (async () => {
    for await (const _ of stream.received);
  })();
  const failure = await stream.closed;
  await reading;
  return failure === undefined ? 'OK' : (STATUS[failure.kind] ?? failure.kind);
}
