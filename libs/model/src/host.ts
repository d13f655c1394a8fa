import { HOST_LENGTH_MAX, LABEL_LENGTH_MAX, type NameProblem, nameProblem, type ServiceRef } from './names.ts';
import { err, ok, type Result } from './result.ts';

declare const kind: unique symbol;
/** A full host name in lower case without a trailing dot: `team--demo--web.apps.example.com`. */
export type Host = string & { readonly [kind]: 'Host' };

/** Separates workspace, sandbox and service inside the first label; names may not contain it. */
const SEPARATOR = '--';

/** The public host of a service: one label, the parts joined by `--`, under the installation's domain. */
export function hostOf({ workspace, sandbox, service }: ServiceRef, domain: string): Result<Host, NameProblem> {
  const label = service === '' ? workspace + SEPARATOR + sandbox : workspace + SEPARATOR + sandbox + SEPARATOR + service;
  if (label.length > LABEL_LENGTH_MAX) {
    return err(`host label ${JSON.stringify(label)} is ${label.length} characters long; a DNS label holds ${LABEL_LENGTH_MAX}`);
  }
  return ok(`${label}.${domain}` as Host);
}

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
