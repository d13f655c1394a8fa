import { FIELD } from './field-kind.ts';
import type { RequestHead } from './head.ts';
import { listMembers } from './octets.ts';

/** The addresses that X-Forwarded-For states, first to last, blanks removed. Believe them only from a trusted peer. */
export function statedAddresses({ fields, kinds }: RequestHead): string[] {
  const stated: string[] = [];
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] !== FIELD.forwardedFor) continue;
    for (const member of listMembers(fields[2 * i + 1] ?? '')) if (member !== '') stated.push(member);
  }
  return stated;
}

/** X-Forwarded-For behind a trusted ingress: what it stated, and then the ingress itself. */
export const continueForwardedFor = (head: RequestHead, peer: string): string => [...statedAddresses(head), peer].join(', ');
