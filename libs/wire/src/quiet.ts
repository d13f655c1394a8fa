import { logVerbosity, setLogVerbosity } from '@grpc/grpc-js';

/** grpc-js writes to stderr what it also reports to us, between our own lines. Whoever debugs it sets GRPC_VERBOSITY. */
export function quietGrpc(): void {
  if (process.env.GRPC_VERBOSITY === undefined) setLogVerbosity(logVerbosity.NONE);
}
