import type { Metadata, ServerDuplexStream, ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js';
import { type Failure, failure, type Result } from '@sallyport/model';
import { bearerIn, type Caller, peerOf } from './caller.ts';
import { createIncoming } from './incoming.ts';
import type { BidiHandler, ServerStreamHandler, UnaryHandler } from './methods.ts';
import { createOutgoing, OUTGOING_MAX } from './outgoing.ts';
import { internalError, toWireError } from './status.ts';
import type { Stream } from './stream.ts';

/** Stands for a request whose bytes are no such message, so that it gets our own refusal and not grpc-js's INTERNAL. */
export const MALFORMED: unique symbol = Symbol('malformed');
const NOT_SUCH_A_MESSAGE = failure('malformed', 'the bytes are not such a request');
const GONE = failure('not-ready', 'the client has gone');

export interface CallContext {
  readonly trustDomain: string;
  /** What nobody expected, for the log: the caller is told nothing of it. */
  readonly onFault: (path: string, error: unknown) => void;
}

interface AnyCall {
  readonly metadata: Metadata;
  getPath(): string;
  getPeer(): string;
  getAuthContext: ServerUnaryCall<unknown, unknown>['getAuthContext'];
}

const callerOf = (call: AnyCall, context: CallContext, signal: AbortSignal): Caller => ({
  peer: peerOf(call, context.trustDomain),
  bearer: bearerIn(call.metadata),
  address: call.getPeer(),
  signal,
});

export const unaryCall =
  <Request, Response>(handler: UnaryHandler<Request, Response>, context: CallContext) =>
  (call: ServerUnaryCall<Request | typeof MALFORMED, Response>, callback: sendUnaryData<Response>): void => {
    const over = new AbortController();
    call.on('cancelled', () => over.abort());
    const run = async (): Promise<void> => {
      try {
        const { request } = call;
        if (request === MALFORMED) return callback(toWireError(NOT_SUCH_A_MESSAGE));
        const result = await handler(request, callerOf(call, context, over.signal));
        if (result.ok) callback(null, result.value);
        else callback(toWireError(result.error));
      } catch (error) {
        context.onFault(call.getPath(), error);
        callback(internalError());
      } finally {
        over.abort();
      }
    };
    void run();
  };

export const serverStreamCall =
  <Request, Response>(handler: ServerStreamHandler<Request, Response>, context: CallContext) =>
  (call: ServerWritableStream<Request | typeof MALFORMED, Response>): void => {
    const { stream } = openServerEnd<Response, never>(call, () => NOTHING);
    const { request } = call;
    if (request === MALFORMED) stream.fail(NOT_SUCH_A_MESSAGE);
    else void conduct(call, stream, context, () => handler(request, stream, callerOf(call, context, stream.signal)));
  };

export const bidiCall =
  <Request, Response>(handler: BidiHandler<Request, Response>, context: CallContext) =>
  (call: ServerDuplexStream<Request | typeof MALFORMED, Response>): void => {
    const { stream } = openServerEnd<Response, Request>(call, (fail) => {
      const incoming = createIncoming<Request | typeof MALFORMED>(call);
      return { received: wellFormed(incoming.received, fail), over: () => incoming.over() };
    });
    void conduct(call, stream, context, () => handler(stream, callerOf(call, context, stream.signal)));
  };

async function* wellFormed<Request>(
  received: AsyncIterable<Request | typeof MALFORMED>,
  fail: (failure: Failure) => void,
): AsyncIterable<Request> {
  for await (const request of received) {
    if (request === MALFORMED) return fail(NOT_SUCH_A_MESSAGE);
    yield request;
  }
}

const NOTHING = {
  received: { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true as const, value: undefined }) }) },
  over: () => undefined,
};

/** Ends the call as its handler says. */
async function conduct(
  call: AnyCall & ErrorSink,
  stream: Stream<never, unknown>,
  context: CallContext,
  run: () => Promise<Result<void, Failure>>,
): Promise<void> {
  try {
    const result = await run();
    if (result.ok) stream.end();
    else stream.fail(result.error);
  } catch (error) {
    context.onFault(call.getPath(), error);
    if (!stream.signal.aborted) call.emit('error', internalError());
  }
}

interface ErrorSink {
  emit(event: 'error', error: Error): boolean;
}

interface ServerStreamCall<Response> extends ErrorSink {
  write(message: Response): boolean;
  once(event: 'drain', act: () => void): unknown;
  on(event: 'cancelled', act: () => void): unknown;
  end(): void;
}

interface Reading<Request> {
  readonly received: AsyncIterable<Request>;
  over(): void;
}

function openServerEnd<Response, Request>(
  call: ServerStreamCall<Response>,
  read: (fail: (failure: Failure) => void) => Reading<Request>,
): { readonly stream: Stream<Response, Request> } {
  const controller = new AbortController();
  const { promise: closed, resolve } = Promise.withResolvers<Failure | undefined>();
  const outgoing = createOutgoing<Response>(call, OUTGOING_MAX);
  const reading = read(fail);
  let ending = false;

  function over(reason: Failure | undefined): void {
    if (controller.signal.aborted) return;
    outgoing.drop();
    reading.over();
    resolve(reason);
    controller.abort();
  }

  function fail(reason: Failure): void {
    if (controller.signal.aborted) return;
    over(reason);
    call.emit('error', toWireError(reason));
  }

  // grpc-js says `cancelled` when the call is over, in good order as well.
  call.on('cancelled', () => over(ending ? undefined : GONE));

  return {
    stream: {
      send(message) {
        const sent = outgoing.send(message);
        if (sent === 'full') fail(failure('lagging', `the reader is ${OUTGOING_MAX} messages behind`));
        return sent === 'taken';
      },
      drained: () => (controller.signal.aborted ? Promise.resolve() : outgoing.drained()),
      end() {
        if (controller.signal.aborted || ending) return;
        ending = true;
        outgoing.finish(() => call.end());
      },
      fail,
      received: reading.received,
      signal: controller.signal,
      closed,
    },
  };
}
