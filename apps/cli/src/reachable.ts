import { accepts } from '@sallyport/process';
import { hostIn } from '@sallyport/wire';
import type { Addresses } from './ready-file.ts';

const LOOK_MS = 1_000;

/** The first that accepts a connection. If none does, the first of all, so that its failure is the one that is told. */
export async function firstReachable(addresses: Addresses): Promise<string> {
  const [first, ...others] = addresses;
  if (others.length === 0) return first;
  for (const address of addresses) {
    const port = Number(address.slice(address.lastIndexOf(':') + 1));
    if (await accepts(hostIn(address) ?? address, port, LOOK_MS)) return address;
  }
  return first;
}
