import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { err, type RuntimeId } from '@sallyport/model';
import type { Clock, Log } from '@sallyport/process';
import type { Connector } from '@sallyport/proxy';
import { checkServerApp, type TlsMaterial } from '@sallyport/wire';
import { createAsker } from './ask.ts';
import { type BoundaryTalk, createBoundaryTalk } from './boundary-talk.ts';
import { openChannel } from './channel.ts';

/** The boundary of one sandbox, as its supervisor uses it: the way to the application, and what keeps it open. */
export interface BoundaryLink extends Connector, Pick<BoundaryTalk, 'nonce' | 'present' | 'fence'> {
  /** The boundary is elsewhere now. */
  moveTo(address: string): void;
  close(): void;
}

export interface BoundaryLinkOptions {
  /** host:port. */
  readonly address: string;
  /** Nobody else's boundary will do. */
  readonly runtimeId: RuntimeId;
  readonly trustDomain: string;
  readonly material: () => TlsMaterial | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** To the boundary and on to the application, whose own dial has a limit of its own there. */
const CHANNEL_MS = 10_000;
export function createBoundaryLink(options: BoundaryLinkOptions): BoundaryLink {
  const { runtimeId, trustDomain, material, clock, log } = options;
  const closing = new AbortController();
  let address = options.address;
  let session: Buffer | undefined;

  /** Resolved anew for each connection, so a boundary that moved within its name is found again. */
  function tls(): ConnectionOptions | undefined {
    const own = material();
    if (own === undefined) return undefined;
    const at = address.lastIndexOf(':');
    const host = address.slice(0, at).replace(/^\[(.*)\]$/, '$1');
    return {
      host,
      port: Number(address.slice(at + 1)),
      ...own,
      minVersion: 'TLSv1.3',
      ALPNProtocols: ['http/1.1'],
      // TLS takes no address for a name; who it is the certificate says anyway.
      servername: isIP(host) === 0 ? host : 'boundary',
    };
  }
  const checkServerIdentity = checkServerApp(trustDomain, 'boundary', runtimeId);
  const asker = createAsker(tls, checkServerIdentity, clock);

  const talk = createBoundaryTalk({ asker, runtimeId, clock, log, signal: closing.signal });

  return {
    async dial(port, signal) {
      const ends = AbortSignal.any([signal, closing.signal]);
      let token = talk.newest() ?? (await talk.newerToken(undefined, ends));
      for (let attempt = 0; ; attempt += 1) {
        const where = tls();
        if (ends.aborted) return err({ kind: 'aborted' });
        if (token === undefined || where === undefined)
          return err({ kind: 'failed', message: "no leave to use the sandbox's boundary has come yet" });
        const resumed = { ...where, checkServerIdentity, ...(session === undefined ? {} : { session }) };
        const onSession = (next: Buffer): void => {
          session = next;
        };
        const opened = await openChannel({ tls: resumed, port, token, clock, withinMs: CHANNEL_MS, signal: ends, onSession });
        if (opened.ok) return opened;
        if (opened.error.kind !== 'no-right') return err(opened.error);
        const next = attempt === 0 ? await talk.newerToken(token, ends) : undefined;
        if (next === undefined) return err({ kind: 'failed', message: `the sandbox's boundary refuses: ${opened.error.why}` });
        token = next;
      }
    },
    nonce: talk.nonce,
    present: talk.present,
    fence: talk.fence,
    moveTo(next) {
      if (next === address) return;
      log.info({ runtimeId, address: next }, 'the boundary has moved');
      address = next;
      session = undefined;
    },
    close() {
      closing.abort();
      asker.close();
    },
  };
}
