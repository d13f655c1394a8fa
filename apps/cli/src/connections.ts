import { err, type Failure, ok, type Result } from '@sallyport/model';
import { type Link, openLink, openTlsFiles, type TlsSource } from '@sallyport/wire';
import { explainFailure } from './explain-failure.ts';
import type { Values } from './parse.ts';
import { firstReachable } from './reachable.ts';
import { chooseTarget, readToken, type Server } from './target.ts';
import { failed, type Trouble } from './trouble.ts';

/** One server, ready to be asked. */
export interface Connection {
  readonly link: Link;
  readonly address: string;
  readonly bearer: string;
  /** The CA that was given, for whatever else is dialled. */
  readonly caFile: string;
  /** A refusal as people shall read it: what failed, why, and what to do. `doing` completes "cannot …". */
  readonly explain: (failure: Failure, doing: string) => Promise<Trouble>;
}

export interface Connections {
  /** Whether it is known where the server is; `open` of one that is not says what to give. */
  has(server: Server): boolean;
  /** Looks anew where the server is, each time; what has been opened to the same address before is used again. */
  open(server: Server): Promise<Result<Connection, Trouble>>;
  close(): void;
}

export function createConnections(values: Values, cwd: string): Connections {
  const opened = new Map<string, { readonly link: Link; readonly tls: TlsSource }>();

  async function linkTo(address: string, caFile: string): Promise<Result<Link, Trouble>> {
    const key = `${address} ${caFile}`;
    const known = opened.get(key);
    if (known !== undefined) return ok(known.link);
    const tls = await openTlsFiles({ caFile });
    if (!tls.ok) return err(failed(`the CA cannot be used: ${tls.error}; give another with --ca-file`));
    const link = openLink({ target: address, tls: tls.value, showsCertificate: false, server: { kind: 'host-name' } });
    opened.set(key, { link, tls: tls.value });
    return ok(link);
  }

  return {
    has: (server) => chooseTarget(server, values, cwd).ok,
    async open(server) {
      const target = chooseTarget(server, values, cwd);
      if (!target.ok) return target;
      const { addresses, caFile, tokenFile } = target.value;
      const token = readToken(tokenFile);
      if (!token.ok) return token;
      const address = await firstReachable(addresses);
      const link = await linkTo(address, caFile);
      if (!link.ok) return link;
      return ok({
        link: link.value,
        address,
        bearer: token.value,
        caFile,
        explain: (failure, doing) => explainFailure({ ...target.value, address }, failure, doing),
      });
    },
    close() {
      for (const { link, tls } of opened.values()) {
        link.close();
        tls.close();
      }
    },
  };
}
