import { HOST_LENGTH_MAX, LABEL_LENGTH_MAX, type NameProblem, nameProblem, type ServiceRef } from './names.ts';
import { assert, err, ok, type Result } from './result.ts';

declare const kind: unique symbol;
/** A full host name in lower case without a trailing dot: `team--demo--web.apps.example.com`. */
export type Host = string & { readonly [kind]: 'Host' };

/** Separates workspace, sandbox and service inside the first label; names may not contain it. */
const SEPARATOR = '--';

/** SHA-256 of text in lower-case hexadecimal; computing it is not this code's business. */
export type Digest = (text: string) => string;

/** Of a digest in a label: 128 bits, so that no two services share one by chance. */
const DIGEST_LENGTH = 32;

/**
 * The public host of a service: one label, the parts joined by `--`, under the installation's domain. Where that would be
 * longer than a label may be, the label is the beginning of the names and a digest of all of them: the same on every replica
 * and in every release, and never that of other names, for it holds no `--`.
 */
export function hostOf(ref: ServiceRef, domain: string, digest: Digest): Host {
  const { workspace, sandbox, service } = ref;
  const names = service === '' ? [workspace, sandbox] : [workspace, sandbox, service];
  const readable = names.join(SEPARATOR);
  return `${readable.length <= LABEL_LENGTH_MAX ? readable : hashedLabel(names, digest)}.${domain}` as Host;
}

function hashedLabel(names: readonly string[], digest: Digest): string {
  // No name holds a slash: other names are another text.
  const hash = digest(names.join('/')).slice(0, DIGEST_LENGTH);
  assert(/^[0-9a-f]{32}$/.test(hash), 'a digest is hexadecimal');
  const beginning = names.join('-').slice(0, LABEL_LENGTH_MAX - DIGEST_LENGTH - 1);
  return `${beginning.endsWith('-') ? beginning.slice(0, -1) : beginning}-${hash}`;
}

/** Whether a host's first label is a digest of names and not the names themselves. */
export const isHashed = (host: Host): boolean => !host.slice(0, host.indexOf('.')).includes(SEPARATOR);

/** One form for names from a ClientHello, a Host field or a configuration: lower case, without one trailing dot. */
export function normaliseHost(name: string): Host {
  const lower = name.toLowerCase();
  return (lower.endsWith('.') ? lower.slice(0, -1) : lower) as Host;
}

/** A domain that hosts can be made under: DNS labels, lower case, no trailing dot. */
export function parseDomain(text: string): Result<string, NameProblem> {
  const domain = normaliseHost(text);
  if (domain.length > HOST_LENGTH_MAX - LABEL_LENGTH_MAX - 1)
    return err(`domain ${JSON.stringify(text.slice(0, 80))} is too long`);
  for (const label of domain.split('.')) {
    // A domain's own labels may hold `--` (an internationalised name does): only the first label of a host is ours.
    const problem = nameProblem(label.replaceAll('--', '-'));
    if (problem !== undefined)
      return err(`domain ${JSON.stringify(text.slice(0, 80))}: label ${JSON.stringify(label)}: ${problem}`);
  }
  return ok(domain);
}

/** True if `host` is exactly one label under `domain`. */
export function isUnderDomain(host: string, domain: string): boolean {
  if (!host.endsWith(`.${domain}`)) return false;
  const label = host.slice(0, -domain.length - 1);
  return label.length > 0 && label.length <= LABEL_LENGTH_MAX && /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(label);
}
