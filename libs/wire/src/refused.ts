import { type ServerInterceptingCallInterface, status } from '@grpc/grpc-js';

/** A call that did not end well, as the server sees it: for counting and for the log. */
export interface RefusedCall {
  /** `/package.Service/Method`; of a service that is bound here. */
  readonly path: string;
  /** The name of the gRPC status. */
  readonly status: string;
  /** What the caller was told. */
  readonly message: string;
  /** "address:port" of the caller. */
  readonly address: string;
}

/**
 * Sees every status of a call once, whoever gives it: a handler, the port's own admission, or grpc-js itself (a message that is
 * too large, a deadline). So it sits where all of them meet, on the call's own `sendStatus`.
 */
export function watchStatus(
  path: string,
  call: ServerInterceptingCallInterface,
  onRefused: (refused: RefusedCall) => void,
): ServerInterceptingCallInterface {
  const send = call.sendStatus.bind(call);
  let told = false;
  call.sendStatus = (given) => {
    const { code, details } = given;
    if (!told && code !== undefined && code !== status.OK) {
      onRefused({ path, status: status[code] ?? `${code}`, message: details ?? '', address: call.getPeer() });
    }
    told = true;
    send(given);
  };
  return call;
}
