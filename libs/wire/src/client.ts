import { type ChannelOptions, Client, experimental, Metadata, type ServiceError, type StatusObject, status } from '@grpc/grpc-js';
import { err, type Failure, failure, ok, type Result } from '@sallyport/model';
import { createIncoming } from './incoming.ts';
import type { BidiMethod, ServerStreamMethod, UnaryMethod } from './methods.ts';
import { createOutgoing, OUTGOING_MAX } from './outgoing.ts';
import { quietGrpc } from './quiet.ts';
import { KEEPALIVE_MS, KEEPALIVE_TIMEOUT_MS, MESSAGE_BYTES_MAX } from './server.ts';
import { type ExpectedServer, serverCheck } from './server-name.ts';
import { fromServiceError } from './status.ts';
import type { Stream } from './stream.ts';
import type { TlsSource } from './tls-files.ts';

export interface LinkOptions {
  /** "host:port", or another form that gRPC resolves (`dns:///name:port`, `ipv4:a:1,b:1`). */
  readonly target: string;
  readonly tls: TlsSource;
  /** Whether our own certificate is shown. False: we prove ourselves by a token. */
  readonly showsCertificate: boolean;
  readonly server: ExpectedServer;
  readonly messageBytesMax?: number;
}

/** A connection that is made when needed, kept, and made again when it broke. */
export interface Link {
  readonly client: Client;
  close(): void;
}

/** Waiting longer than this for the next attempt would outlast the 2 s within which a lost stream is forgiven; milliseconds. */
const RECONNECT_MS_MAX = 1_000;

export function openLink({ target, tls, showsCertificate, server, messageBytesMax = MESSAGE_BYTES_MAX }: LinkOptions): Link {
  quietGrpc();
  const { checkServerIdentity, options: naming } = serverCheck(server, target);
  const credentials = experimental.createCertificateProviderChannelCredentials(tls, showsCertificate ? tls : null, {
    checkServerIdentity,
  });
  const options: ChannelOptions = {
    ...naming,
    'grpc.max_receive_message_length': messageBytesMax,
    'grpc.max_send_message_length': messageBytesMax,
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
    'grpc.keepalive_permit_without_calls': 1,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': RECONNECT_MS_MAX,
    // A call that may have been executed is for its caller to settle.
    'grpc.enable_retries': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.enable_http_proxy': 0,
    'grpc.enable_channelz': 0,
    // Else two links to one address share a socket, and closing one does not end it.
    'grpc.use_local_subchannel_pool': 1,
  };
  const client = new Client(target, credentials, options);
  return { client, close: () => client.close() };
}

export interface CallOptions {
  /** Milliseconds. Required for unary calls: a call without an end is a leak. */
  readonly deadlineMs: number;
  /** Sent as `authorization: Bearer …`. Secret. */
  readonly bearer?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Wait for a connection until the deadline instead of failing while the server is unreachable. */
  readonly waitForReady?: boolean;
  /** What the server's clock said when it answered: whole seconds, as milliseconds since 1970. For diagnosis, never for authority. */
  readonly onServerTime?: (unixMs: number) => void;
}

/** One question, one answer. Every outcome is a value; a call that got no answer is `not-ready`. */
export function call<Request, Response>(
  link: Link,
  method: UnaryMethod<Request, Response>,
  request: Request,
  { deadlineMs, bearer, signal, waitForReady = false, onServerTime }: CallOptions,
): Promise<Result<Response, Failure>> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve(err(CANCELLED));
    const pending = link.client.makeUnaryRequest<Request, Response>(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      request,
      metadataOf({ bearer, waitForReady }),
      { deadline: Date.now() + deadlineMs },
      (error: ServiceError | null, response?: Response) => {
        signal?.removeEventListener('abort', cancel);
        if (error !== null) resolve(err(signal?.aborted ? CANCELLED : unanswered(error, deadlineMs)));
        else resolve(ok(response as Response));
      },
    );
    // HTTP/2 answers are dated like those of HTTP/1.1 (RFC 9110 section 6.6.1).
    if (onServerTime !== undefined)
      pending.on('metadata', (metadata: Metadata) => {
        const unixMs = Date.parse(String(metadata.get('date')[0]));
        if (!Number.isNaN(unixMs)) onServerTime(unixMs);
      });
    const cancel = (): void => pending.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
  });
}

const CANCELLED = failure('not-ready', 'cancelled');

const unanswered = (error: ServiceError, deadlineMs: number): Failure =>
  error.code === status.DEADLINE_EXCEEDED ? failure('not-ready', `no answer within ${deadlineMs} ms`) : fromServiceError(error);

function metadataOf({ bearer, waitForReady }: Pick<StreamOptions, 'bearer' | 'waitForReady'>): Metadata {
  const metadata = new Metadata({ waitForReady: waitForReady ?? false });
  if (bearer !== undefined) metadata.set('authorization', `Bearer ${bearer}`);
  return metadata;
}

export type StreamOptions = Omit<CallOptions, 'deadlineMs' | 'onServerTime'>;

/** Opens a stream in both directions. It lasts until one side ends it or the connection breaks. */
export function openStream<Request, Response>(
  link: Link,
  method: BidiMethod<Request, Response>,
  options: StreamOptions = {},
): Stream<Request, Response> {
  const duplex = link.client.makeBidiStreamRequest<Request, Response>(
    method.path,
    method.requestSerialize,
    method.responseDeserialize,
    metadataOf(options),
    {},
  );
  return clientEnd<Request, Response>(duplex, duplex, options.signal);
}

/** One question, many answers. Unread answers hold the server back, so read to the end or `fail`. */
export function openServerStream<Request, Response>(
  link: Link,
  method: ServerStreamMethod<Request, Response>,
  request: Request,
  { deadlineMs, ...options }: StreamOptions & { readonly deadlineMs?: number } = {},
): Stream<never, Response> {
  const readable = link.client.makeServerStreamRequest<Request, Response>(
    method.path,
    method.requestSerialize,
    method.responseDeserialize,
    request,
    metadataOf(options),
    deadlineMs === undefined ? {} : { deadline: Date.now() + deadlineMs },
  );
  return clientEnd<never, Response>(readable, undefined, options.signal);
}

interface ClientReading<Response> {
  on(event: 'data', act: (message: Response) => void): unknown;
  on(event: 'end' | 'error', act: () => void): unknown;
  on(event: 'status', act: (status: StatusObject) => void): unknown;
  pause(): unknown;
  resume(): unknown;
  cancel(): void;
}

interface ClientWriting<Request> {
  write(message: Request): boolean;
  once(event: 'drain', act: () => void): unknown;
  end(): unknown;
}

function clientEnd<Request, Response>(
  reading: ClientReading<Response>,
  writing: ClientWriting<Request> | undefined,
  signal: AbortSignal | undefined,
): Stream<Request, Response> {
  const controller = new AbortController();
  const { promise: closed, resolve } = Promise.withResolvers<Failure | undefined>();
  const incoming = createIncoming<Response>(reading);
  const outgoing = writing === undefined ? undefined : createOutgoing<Request>(writing, OUTGOING_MAX);

  function over(reason: Failure | undefined): void {
    if (controller.signal.aborted) return;
    signal?.removeEventListener('abort', cancel);
    outgoing?.drop();
    resolve(reason);
    controller.abort();
  }

  function fail(reason: Failure): void {
    over(reason);
    incoming.over();
    reading.cancel();
  }
  const cancel = (): void => fail(CANCELLED);

  // An error that nobody listens to ends the process; the status says the same.
  reading.on('error', () => undefined);
  // What came before the status may still wait to be read: only `end` says that nothing follows.
  reading.on('status', (ended) => over(ended.code === status.OK ? undefined : fromServiceError(ended)));
  if (signal?.aborted) cancel();
  else signal?.addEventListener('abort', cancel, { once: true });

  return {
    send(message) {
      const sent = outgoing?.send(message);
      if (sent === 'full') fail(failure('lagging', `the other side is ${OUTGOING_MAX} messages behind`));
      return sent === 'taken';
    },
    drained: async () => (controller.signal.aborted ? undefined : outgoing?.drained()),
    end: () => outgoing?.finish(() => writing?.end()),
    fail,
    received: incoming.received,
    signal: controller.signal,
    closed,
  };
}
