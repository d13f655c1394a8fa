import { connect } from 'node:net';
import { hostIn } from '@sallyport/wire';
import type { Addresses } from './ready-file.ts';

const LOOK_MS = 1_000;

/** The first that accepts a connection. If none does, the first of all, so that its failure is the one that is told. */
export async function firstReachable(addresses: Addresses): Promise<string> {
  const [first, ...others] = addresses;
  if (others.length === 0) return first;
  for (const address of addresses) if (await accepts(address)) return address;
  return first;
}

function accepts(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const port = Number(address.slice(address.lastIndexOf(':') + 1));
    const socket = connect({ host: hostIn(address) ?? address, port, timeout: LOOK_MS });
    const end = (does: boolean): void => {
      socket.destroy();
      resolve(does);
    };
    socket.on('connect', () => end(true));
    socket.on('timeout', () => end(false));
    socket.on('error', () => end(false));
  });
}
