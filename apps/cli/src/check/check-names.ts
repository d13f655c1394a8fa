import { type Finding, fails, holds } from './finding.ts';
import type { ResolveName } from './resolver.ts';

export interface NamesChecked {
  readonly finding: Finding;
  /** Where the domain leads. Empty: nowhere. */
  readonly addresses: readonly string[];
}

/** Declared hosts that are looked up beside the one that nobody declared. */
const HOSTS_MAX = 4;

/**
 * Whether every host under the domain leads to one place. Asked with a name that nobody can have written down (`probe`, a
 * random one), since that is what the next service will be; and with declared ones, which an old record may lead elsewhere.
 */
export async function checkNames(
  resolve: ResolveName,
  { domain, probe, hosts }: { readonly domain: string; readonly probe: string; readonly hosts: readonly string[] },
): Promise<NamesChecked> {
  if (domain === 'localhost' || domain.endsWith('.localhost')) {
    const detail = `browsers and curl take *.${domain} for this machine, without asking DNS (RFC 6761)`;
    return { finding: holds('dns', detail), addresses: ['127.0.0.1'] };
  }
  const found = await resolve(probe);
  if (found.kind === 'failed') {
    const next = 'look at the resolver of this machine, or ask another with --resolver';
    return { finding: fails('dns', `DNS does not answer for ${probe} (${found.code})`, next), addresses: [] };
  }
  const { addresses } = found;
  if (addresses.length === 0) {
    const next = `add a wildcard record for *.${domain} that leads to your ingress, or to the supervisors`;
    return { finding: fails('dns', `${probe} leads nowhere: there is no wildcard record for *.${domain}`, next), addresses };
  }
  for (const host of hosts.slice(0, HOSTS_MAX)) {
    const own = await resolve(host);
    if (own.kind === 'answered' && own.addresses.join() !== addresses.join()) {
      const where = own.addresses.length === 0 ? 'nowhere' : `to ${own.addresses.join(', ')}`;
      const detail = `${host} leads ${where}, other names under ${domain} to ${addresses.join(', ')}`;
      return { finding: fails('dns', detail, `remove the record of ${host}: the wildcard is enough`), addresses };
    }
  }
  return { finding: holds('dns', `*.${domain} leads to ${addresses.join(', ')}`), addresses };
}
