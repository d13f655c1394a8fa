import type { Failure, Result } from '@sallyport/model';
import type { Caller } from './caller.ts';
import type { Stream } from './stream.ts';

/** A method as the generated service definitions describe it. */
export interface Method<Request, Response> {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly requestSerialize: (value: Request) => Buffer;
  readonly requestDeserialize: (value: Buffer) => Request;
  readonly responseSerialize: (value: Response) => Buffer;
  readonly responseDeserialize: (value: Buffer) => Response;
}

export interface UnaryMethod<Request, Response> extends Method<Request, Response> {
  readonly requestStream: false;
  readonly responseStream: false;
}
export interface ServerStreamMethod<Request, Response> extends Method<Request, Response> {
  readonly requestStream: false;
  readonly responseStream: true;
}
export interface BidiMethod<Request, Response> extends Method<Request, Response> {
  readonly requestStream: true;
  readonly responseStream: true;
}

export type UnaryHandler<Request, Response> = (request: Request, caller: Caller) => Promise<Result<Response, Failure>>;
/** The call lasts until the promise settles: in good order, or refused. */
export type ServerStreamHandler<Request, Response> = (
  request: Request,
  stream: Stream<Response, never>,
  caller: Caller,
) => Promise<Result<void, Failure>>;
/** The call lasts until the promise settles: in good order, or refused. */
export type BidiHandler<Request, Response> = (
  stream: Stream<Response, Request>,
  caller: Caller,
) => Promise<Result<void, Failure>>;

/** A method as its server sees it: what the other end makes of the bytes is no concern of a handler's. */
interface Served<Request, Response, RequestStream extends boolean, ResponseStream extends boolean>
  extends Pick<Method<Request, Response>, 'requestDeserialize' | 'responseSerialize'> {
  readonly requestStream: RequestStream;
  readonly responseStream: ResponseStream;
}

export type HandlerOf<M> =
  M extends Served<infer Request, infer Response, false, false>
    ? UnaryHandler<Request, Response>
    : M extends Served<infer Request, infer Response, false, true>
      ? ServerStreamHandler<Request, Response>
      : M extends Served<infer Request, infer Response, true, true>
        ? BidiHandler<Request, Response>
        : never;

/** One handler for each method: a service that lacks one does not compile. */
export type HandlersOf<Service> = { readonly [Name in keyof Service]: HandlerOf<Service[Name]> };
