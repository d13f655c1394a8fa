/** Where one member of the cluster serves clients: `host:port`, as grpc takes it. */
export type EtcdAddress = string;

const ADDRESS = /^(?:(https?|etcd):\/\/)?((?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5})\/?$/;

/**
 * Addresses as people write them: `host:port`, with `http://`, `https://` or `etcd://` before it. The scheme only has to
 * agree with `tls`, so that nobody believes a plain connection to be a safe one. Throws an Error that says what is wrong.
 */
export function parseAddresses(endpoints: readonly string[], tls: boolean): readonly EtcdAddress[] {
  if (endpoints.length === 0) throw new Error('no endpoint of etcd is given');
  return endpoints.map((endpoint) => parseAddress(endpoint, tls));
}

function parseAddress(endpoint: string, tls: boolean): EtcdAddress {
  const [, scheme, address] = ADDRESS.exec(endpoint) ?? [];
  if (address === undefined) throw new Error(`${JSON.stringify(endpoint)} is not an endpoint of etcd: host:port`);
  const port = Number(address.slice(address.lastIndexOf(':') + 1));
  if (port < 1 || port > 65_535) throw new Error(`${JSON.stringify(endpoint)} has no port that exists`);
  if (scheme === 'https' && !tls) throw new Error(`${endpoint} asks for TLS: name the CA's certificate`);
  if (scheme === 'http' && tls) throw new Error(`${endpoint} is without TLS, but certificates are given`);
  return address;
}

/** `etcd://host:port[,host:port]`, the form of one setting. */
export const splitEndpoints = (text: string): readonly string[] =>
  text
    .replace(/^etcd:\/\//, '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
