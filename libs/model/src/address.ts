/** Where something listens or can be dialled: `host` is a name or an IP address without brackets. */
export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** `host:port`, as URLs and gRPC targets have it: an IPv6 address, which holds colons itself, stands in brackets. */
export const formatAddress = ({ host, port }: HostAndPort): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;
