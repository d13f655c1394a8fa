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

export type HandlerOf<M> =
  M extends UnaryMethod<infer Request, infer Response>
    ? UnaryHandler<Request, Response>
    : M extends ServerStreamMethod<infer Request, infer Response>
      ? ServerStreamHandler<Request, Response>
      : M extends BidiMethod<infer Request, infer Response>
        ? BidiHandler<Request, Response>
        : never;

/** One handler for each method: a service that lacks one does not compile. */
export type HandlersOf<Service> = { readonly [Name in keyof Service]: HandlerOf<Service[Name]> };
