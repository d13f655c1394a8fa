import { lookup, Resolver } from 'node:dns/promises';

/** Addresses of a name; empty: there is no such name. */
export type Answered =
  | { readonly kind: 'answered'; readonly addresses: readonly string[] }
  /** Whoever was asked did not answer, or could not. */
  | { readonly kind: 'failed'; readonly code: string };

export type ResolveName = (name: string) => Promise<Answered>;

const ASK_MS = 2_000;
const TRIES = 2;
const NONE = new Set(['ENOTFOUND', 'ENODATA']);

/** Asks as any program of this machine does; or this DNS server alone, for names that are not the same everywhere. */
export function createResolver(server: string | undefined): ResolveName {
  if (server === undefined)
    return (name) => lookup(name, { all: true }).then((found) => answered(found.map(({ address }) => address)), failedBy);
  const resolver = new Resolver({ timeout: ASK_MS, tries: TRIES });
  resolver.setServers([server]);
  return async (name) => {
    const [v4, v6] = await Promise.all([
      resolver.resolve4(name).then(answered, failedBy),
      resolver.resolve6(name).then(answered, failedBy),
    ]);
    if (v4.kind === 'failed') return v4;
    return v6.kind === 'failed' ? v6 : answered([...v4.addresses, ...v6.addresses]);
  };
}

const answered = (addresses: readonly string[]): Answered => ({ kind: 'answered', addresses: [...addresses].sort() });

function failedBy(error: NodeJS.ErrnoException): Answered {
  const code = error.code ?? error.message;
  return NONE.has(code) ? answered([]) : { kind: 'failed', code };
}
