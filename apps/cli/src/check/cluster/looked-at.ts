import type { KubeClient, Trouble } from '@sallyport/kube';
import { type Finding, fails, skipped } from '../finding.ts';
import { explainTrouble } from './explain-trouble.ts';
import type { TokenFacts } from './token-facts.ts';

/** The cluster that is looked at, and the release in it. */
export interface LookedAt {
  readonly client: Pick<KubeClient, 'get' | 'post'>;
  readonly server: string;
  readonly token: TokenFacts | undefined;
  readonly namespace: string;
  readonly release: string;
  readonly nowMs: number;
}

/** `what` completes "may not …". Who may not look has found nothing wrong: that line says what to give. */
export function notSeen(name: string, trouble: Trouble, what: string, at: LookedAt): Finding {
  if (trouble.kind === 'forbidden') return skipped(name, `not looked at: you may not ${what}`, 'ask as somebody who may');
  const { detail, nextStep } = explainTrouble(trouble, at);
  return fails(name, detail, nextStep);
}

export const pathIn = (namespace: string, resource: string, api = '/api/v1'): string =>
  `${api}/namespaces/${encodeURIComponent(namespace)}/${resource}`;
