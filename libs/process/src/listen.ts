import type { AddressInfo, Server } from 'node:net';
import { formatAddress } from '@sallyport/model';
import type { Address } from './setting-kinds.ts';

/**
 * A process that cannot start for a reason outside of it. The message is for people and says how to mend it; `run`
 * prints it as one line, without a stack, and exits with 1.
 */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}

/**
 * Listens, and returns the address that was really bound (port 0 takes any free one). `setting` is the name of the
 * option that chose the address, for the message. Throws `CannotStart` when it cannot.
 */
export function listen(server: Server, address: Address, setting: string): Promise<Address> {
  return new Promise((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException): void => reject(cannotListen(error, address, setting));
    server.once('error', refused);
    server.listen({ host: address.host, port: address.port }, () => {
      server.off('error', refused);
      const bound = server.address() as AddressInfo;
      resolve({ host: bound.address, port: bound.port });
    });
  });
}

/** For servers that are not Node's (gRPC) and report the same codes. `hostSetting` where the host has an option of its own. */
export function cannotListen(
  error: Error & { readonly code?: string | undefined },
  address: Address,
  setting: string,
  hostSetting: string = setting,
): CannotStart {
  return new CannotStart(
    `cannot listen on ${formatAddress(address)}: ${reasonOf(error.code, address, setting, hostSetting) ?? error.message}`,
    { cause: error },
  );
}

function reasonOf(code: string | undefined, { port }: Address, setting: string, hostSetting: string): string | undefined {
  switch (code ?? '') {
    case 'EADDRINUSE':
      return `the port is in use; end the process that has it, or choose another with --${setting} (port 0 takes any free one)`;
    case 'EACCES':
    case 'EPERM':
      return port < 1024
        ? `not permitted; choose a port above 1023 with --${setting}, or give the process CAP_NET_BIND_SERVICE`
        : `not permitted by the system; choose another port with --${setting}`;
    case 'EADDRNOTAVAIL':
      return `no interface of this machine has that address; choose another with --${hostSetting}`;
    case 'EAFNOSUPPORT':
      return `this machine has no such address family (IPv6 switched off?); choose an IPv4 address with --${hostSetting}`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name cannot be resolved; give an IP address with --${hostSetting}`;
    default:
      return undefined;
  }
}
