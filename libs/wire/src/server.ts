import {
  experimental,
  Server,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
  type ServiceDefinition,
  type UntypedHandleCall,
} from '@grpc/grpc-js';
import { failure, formatAddress } from '@sallyport/model';
import { peerOf } from './caller.ts';
import type { BidiHandler, HandlersOf, Method, ServerStreamHandler, UnaryHandler } from './methods.ts';
import type { App } from './peer.ts';
import { quietGrpc } from './quiet.ts';
import { type RefusedCall, watchStatus } from './refused.ts';
import { bidiCall, type CallContext, MALFORMED, serverStreamCall, unaryCall } from './server-calls.ts';
import { toWireError } from './status.ts';
import type { TlsSource } from './tls-files.ts';

/** Of one message, both ways; bytes. */
export const MESSAGE_BYTES_MAX = 1_048_576;
/** Of one connection: a shared supervisor opens one stream for each sandbox that it may own. */
export const STREAMS_PER_CONNECTION_MAX = 10_000;
/** How long a connection may be silent before it is probed, and how long the probe may take; milliseconds. */
export const KEEPALIVE_MS = 10_000;
export const KEEPALIVE_TIMEOUT_MS = 5_000;

export interface Binding {
  readonly service: Readonly<Record<string, Method<never, never>>>;
  readonly handlers: Readonly<Record<string, unknown>>;
}

/** A generated service definition with a handler for each of its methods. */
export const bind = <Service extends object>(service: Service, handlers: HandlersOf<Service>): Binding =>
  ({ service, handlers }) as unknown as Binding;

export interface ServerOptions {
  /** Port 0 takes any free one. */
  readonly address: { readonly host: string; readonly port: number };
  readonly tls: TlsSource;
  readonly trustDomain: string;
  /**
   * `certificate`: only clients with a certificate of our CA, for one of these apps. `certificate-or-bearer`: also clients
   * without one, whose token the handlers must judge; a certificate for another app is refused here as well.
   */
  readonly clients: { readonly kind: 'certificate' | 'certificate-or-bearer'; readonly apps: readonly App[] };
  readonly services: readonly Binding[];
  readonly onFault: CallContext['onFault'];
  /** Told once of every call that ends with another status than OK. */
  readonly onRefused?: (refused: RefusedCall) => void;
  readonly messageBytesMax?: number;
}

export interface WireServer {
  /** As bound. */
  readonly address: { readonly host: string; readonly port: number };
  /** Takes no new calls and waits for open ones; ends what is left when `deadlineMs` is over. Does not reject. */
  close(deadlineMs: number): Promise<void>;
}

/** Rejects with an error that carries Node's `code` (EADDRINUSE …) when it cannot listen. */
export async function listen(options: ServerOptions): Promise<WireServer> {
  const { address, tls, clients, services, messageBytesMax = MESSAGE_BYTES_MAX } = options;
  quietGrpc();
  const server = new Server({
    'grpc.max_receive_message_length': messageBytesMax,
    'grpc.max_send_message_length': messageBytesMax,
    'grpc.max_concurrent_streams': STREAMS_PER_CONNECTION_MAX,
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
    // Books about every call that nobody reads: some hundredths of a gateway's time while a fleet joins.
    'grpc.enable_channelz': 0,
    interceptors: [admitPeers(options)],
  });
  for (const binding of services) addService(server, binding, options);
  const credentials = experimental.createCertificateProviderServerCredentials(tls, tls, clients.kind === 'certificate');
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(formatAddress(address), credentials, (error, bound) =>
      error === null ? resolve(bound) : reject(withCode(error)),
    );
  });
  return {
    address: { host: address.host, port },
    close: (deadlineMs) => close(server, formatAddress({ host: address.host, port }), deadlineMs),
  };
}

/** grpc-js reports why it could not bind in words only. */
const withCode = (error: Error): Error => Object.assign(error, { code: /\b(E[A-Z]{3,})\b/.exec(error.message)?.[1] });

/** `forceShutdown` would end what is left too, but knows only connections that channelz keeps books about. */
function close(server: Server, bound: string, deadlineMs: number): Promise<void> {
  server.drain(bound, deadlineMs);
  return new Promise((resolve) => server.tryShutdown(() => resolve()));
}

/** Judged before the handler, so that no handler can forget it. */
function admitPeers({ clients: { kind, apps }, trustDomain, onRefused = () => undefined }: ServerOptions): ServerInterceptor {
  return ({ path }, bare) => {
    const call = watchStatus(path, bare, onRefused);
    return new ServerInterceptingCall(call, {
      start(next) {
        next(
          new ServerListenerBuilder()
            .withOnReceiveMetadata((metadata, pass) => {
              const peer = peerOf(call, trustDomain);
              if (peer === undefined && kind === 'certificate') {
                return call.sendStatus(
                  toWireError(failure('unauthenticated', `the client certificate names no app of ${trustDomain}`)),
                );
              }
              if (peer !== undefined && !apps.includes(peer.app)) {
                return call.sendStatus(toWireError(failure('forbidden', `this port does not take the app "${peer.app}"`)));
              }
              pass(metadata);
            })
            .build(),
        );
      },
    });
  };
}

function addService(server: Server, { service, handlers }: Binding, context: CallContext): void {
  const implementation: Record<string, UntypedHandleCall> = {};
  const definition: Record<string, Method<never, never>> = {};
  for (const [name, method] of Object.entries(service)) {
    definition[name] = { ...method, requestDeserialize: (bytes) => readOrMalformed(method, bytes) as never };
    implementation[name] = adapt(method, handlers[name], context);
  }
  server.addService(definition as unknown as ServiceDefinition, implementation);
}

function readOrMalformed(method: Method<never, never>, bytes: Buffer): unknown {
  try {
    return method.requestDeserialize(bytes);
  } catch {
    return MALFORMED;
  }
}

function adapt(method: Method<never, never>, handler: unknown, context: CallContext): UntypedHandleCall {
  if (!method.responseStream) return unaryCall(handler as UnaryHandler<unknown, unknown>, context);
  if (!method.requestStream) return serverStreamCall(handler as ServerStreamHandler<unknown, unknown>, context);
  return bidiCall(handler as BidiHandler<unknown, unknown>, context);
}
