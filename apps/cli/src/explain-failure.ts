import type { Failure } from '@sallyport/model';
import { TOKEN_EXPIRED } from '@sallyport/wire';
import { type Probe, probe } from './probe.ts';
import type { Target } from './target.ts';
import { failed, type Trouble } from './trouble.ts';

/** The target, and which of its addresses was asked. */
export type Asked = Target & { readonly address: string };

/** What failed, why, and what to do, in one line. */
export async function explainFailure(target: Asked, failure: Failure, doing: string): Promise<Trouble> {
  // No answer: the reason is below gRPC, which reports it in words only, so it is looked for.
  if (failure.kind === 'not-ready') {
    const found = await probe(target.address, target.caFile);
    if (found.kind !== 'well') return failed(`cannot ${doing}: ${unreachable(target, found)}`);
  }
  return failed(`cannot ${doing}: ${refusal(target, failure)}`);
}

function unreachable({ server, address, caFile, devStack }: Asked, found: Exclude<Probe, { kind: 'well' }>): string {
  const next =
    devStack === undefined
      ? `check that ${called(server)} runs, and --${server}`
      : `if the dev stack of ${devStack} has ended, start it again with npm start`;
  switch (found.kind) {
    case 'refused':
      return `nothing listens on ${address}; ${next}`;
    case 'unknown-name':
      return `the name in ${address} cannot be resolved; check --${server}`;
    case 'silent':
      return `${address} does not answer; ${next}, and firewalls on the way`;
    case 'not-tls':
      return `${address} speaks no TLS; it is not a port of ${called(server)}: check --${server}`;
    case 'untrusted':
      return `the certificate of ${address} was not signed by ${caFile} (${found.code}); give the CA of ${called(server)} with --ca-file`;
    case 'other-name':
      return `the certificate of ${address} is for ${found.names}; use one of these names with --${server}`;
    case 'expired':
      return `the certificate of ${address} has expired or is not valid yet; renew it, or set this machine's clock`;
    case 'broken':
      return `the connection to ${address} fails (${found.code}); ${next}`;
  }
}

const called = (server: Target['server']): string => (server === 'gateway' ? 'the gateway' : 'discovery');

function refusal({ server, tokenFile, devStack }: Target, { kind, message }: Failure): string {
  switch (kind) {
    case 'unauthenticated':
      if (message === TOKEN_EXPIRED)
        return `the token in ${tokenFile} has expired; ${devStack === undefined ? 'ask for a new one' : 'start the dev stack again, which writes a new one'}`;
      return `${called(server)} does not take the token in ${tokenFile}: ${message}; give another with --token-file`;
    case 'forbidden':
      return `${message}: ask an admin for a token that may`;
    case 'unknown':
      // The gateway may have said what to do already.
      return message.includes(';')
        ? message
        : `${message}; see what there is with: sallyport service list, sallyport sandbox list`;
    case 'not-ready':
      return `${message}; try again in a few seconds`;
    case 'unsupported':
      return `${called(server)} does not know how (${message}); it may be of another release`;
    case 'fenced':
    case 'conflict':
    case 'malformed':
    case 'cursor-lost':
    case 'lagging':
    case 'over-limit':
      return message;
  }
}
