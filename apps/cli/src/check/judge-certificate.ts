import { type Finding, fails, holds } from './finding.ts';

/** What is judged of a certificate, wherever it was found. */
export interface CertificateFacts {
  /** DNS names, lower case, wildcards as written. */
  readonly names: readonly string[];
  readonly validFromMs: number;
  readonly validToMs: number;
}

export interface CertificateNeeds {
  readonly domain: string;
  /** Hosts that are declared now. */
  readonly hosts: readonly string[];
  /** Where it was found, for people: "the certificate in tls.crt". */
  readonly which: string;
}

const DAY_MS = 86_400_000;
/** Whoever renews does so a third of its life before the end: this late, nothing renews it. */
export const LEFT_MIN_MS = 14 * DAY_MS;

/** Whether it covers every host under the domain, and for how long. */
export function judgeCertificate(
  { names, validFromMs, validToMs }: CertificateFacts,
  { domain, hosts, which }: CertificateNeeds,
  nowMs: number,
): Finding {
  const until = dayOf(validToMs);
  const renew = (why: string): Finding =>
    fails('certificate', why, `renew it: a new pair in its place is taken without a restart`);
  if (nowMs < validFromMs) return renew(`${which} is not valid before ${new Date(validFromMs).toISOString()}`);
  if (nowMs >= validToMs) return renew(`${which} ended on ${until}`);
  const uncovered = hosts.filter((host) => !covers(names, host));
  const wildcard = `*.${domain}`;
  if (uncovered.length > 0 || !names.includes(wildcard)) {
    if (uncovered.length === 0 && hosts.length > 0)
      return holds(
        'certificate',
        `${which} covers the ${hosts.length} declared hosts one by one, and no further ones, until ${until}`,
      );
    const lacking = uncovered[0] ?? wildcard;
    const next = `get one for ${wildcard}: it covers every host, because each is one label under the domain`;
    return fails('certificate', `${which} is for ${names.join(', ') || 'no host'}, not for ${lacking}`, next);
  }
  if (validToMs - nowMs < LEFT_MIN_MS)
    return renew(`${which} ends in ${Math.floor((validToMs - nowMs) / DAY_MS)} days, on ${until}: nothing seems to renew it`);
  return holds('certificate', `${which} covers ${wildcard} until ${until}`);
}

export const dayOf = (unixMs: number): string => new Date(unixMs).toISOString().slice(0, 10);

/** The exact name, or a wildcard for the first label. */
const covers = (names: readonly string[], host: string): boolean =>
  names.includes(host) || names.includes(`*${host.slice(host.indexOf('.'))}`);
