import type { Trouble } from '@sallyport/kube';
import type { TokenFacts } from './token-facts.ts';

/** What went wrong on the way to the API server, and what to do. */
export interface Explained {
  readonly detail: string;
  readonly nextStep: string;
}

export interface ExplainedFor {
  readonly server: string;
  readonly token: TokenFacts | undefined;
  readonly nowMs: number;
}

/** Node's names for a certificate that the CA did not sign. */
const UNTRUSTED =
  /^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|CERT_SIGNATURE_FAILURE)/;

export function explainTrouble({ kind, message }: Trouble, { server, token, nowMs }: ExplainedFor): Explained {
  switch (kind) {
    case 'unreachable':
      return unreachable(message, server);
    case 'unauthenticated':
      return unauthenticated(server, token, nowMs);
    case 'forbidden':
      return { detail: `${server} does not let you look: ${message}`, nextStep: 'ask as somebody who may' };
    case 'busy':
      return { detail: `${server} has no time (${message})`, nextStep: 'try again in a minute' };
    case 'malformed':
    case 'missing':
      return {
        detail: `what answers at ${server} is no Kubernetes API server (${message})`,
        nextStep: 'look at the server in the kubeconfig',
      };
    case 'conflict':
    case 'expired':
    case 'failed':
    case 'too-large':
      return { detail: `${server} fails: ${message}`, nextStep: 'try again, and look at the log of the API server' };
  }
}

function unreachable(message: string, server: string): Explained {
  if (UNTRUSTED.test(message))
    return {
      detail: `the certificate of ${server} is not of the CA that the kubeconfig names`,
      nextStep: 'take certificate-authority-data from this very cluster; somebody else may answer there',
    };
  if (message.startsWith('ERR_TLS_CERT_ALTNAME_INVALID'))
    return {
      detail: `the certificate of ${server} is for another name`,
      nextStep: 'use the name that it is for, or give it as tls-server-name in the kubeconfig',
    };
  if (message.startsWith('CERT_HAS_EXPIRED'))
    return { detail: `the certificate of ${server} has ended`, nextStep: 'renew the certificate of the API server' };
  return {
    detail: `${server} cannot be reached (${message})`,
    nextStep: 'look at the server in the kubeconfig, and at the way there: firewall, VPN, proxy',
  };
}

function unauthenticated(server: string, token: TokenFacts | undefined, nowMs: number): Explained {
  const ended = token?.endsAtMs !== undefined && token.endsAtMs <= nowMs;
  const which = token === undefined ? 'the client certificate' : 'the token';
  const why = ended ? `: it ended at ${new Date(token.endsAtMs as number).toISOString()}` : '';
  return {
    detail: `${server} does not take ${which}${why}`,
    nextStep: ended
      ? 'get a new one: kubectl create token ACCOUNT --duration 1h'
      : 'give one of this cluster that has not been taken back',
  };
}
