/** A host name and port as they stand in Host or in an authority (RFC 9110 section 7.2). */
export interface HostPort {
  /** Lower case, without one trailing dot. */
  readonly host: string;
  /** Digits, or ''. */
  readonly port: string;
}

/** An IP literal in brackets, or labels and at most one dot behind them; then a port of digits. No percent, no user part. */
const HOST = /^(?:(\[[0-9a-f:.]+\])|([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?)(?::([0-9]{1,5}))?$/i;
const HOST_LENGTH_MAX = 255;
const PORT_MAX = 65_535;

/** @returns undefined for anything that is not one well-formed host with an optional well-formed port */
export function parseHost(value: string): HostPort | undefined {
  const found = HOST.exec(value);
  if (found === null) return undefined;
  const host = (found[1] ?? found[2] ?? '').toLowerCase();
  const port = found[3] ?? '';
  if (host.length > HOST_LENGTH_MAX || Number(port) > PORT_MAX) return undefined;
  return { host, port };
}
