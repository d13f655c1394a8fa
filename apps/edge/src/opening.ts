import type { Socket } from 'node:net';
import { normaliseAddress, parseProxyHeader } from '@sallyport/proxy';
import type { HelloReader, HelloRefusal } from '@sallyport/tls-hello';
import { proxyHeader } from './proxy-header.ts';

/** What a client's first bytes say. */
export type Opened = { readonly stated?: string } & (
  | { readonly kind: 'more' }
  | { readonly kind: 'refused'; readonly reason: HelloRefusal | 'proxy-header-bad' }
  | {
      readonly kind: 'hello';
      readonly serverName: string;
      /** What was held, without what was for us alone. */
      readonly rest: (held: Buffer[]) => Buffer[];
    }
);

export interface Opening {
  push(chunk: Buffer): Opened;
  /** The header for the supervisor, about the client at this address. */
  header(client: Socket, stated: string): Buffer;
}

/** Of a trusted peer a PROXY header may come first; it is looked for in the bytes so far, which are few. */
export function createOpening(reader: HelloReader, mayState: boolean): Opening {
  let awaitsHeader = mayState;
  let begun: Buffer = Buffer.alloc(0);
  let headerLength = 0;

  function read(bytes: Buffer, stated?: string): Opened {
    const said = reader.push(bytes);
    const also = stated === undefined ? {} : { stated };
    if (said.kind !== 'hello') return { ...said, ...also };
    return { kind: 'hello', serverName: said.serverName, rest: withoutFirst(headerLength), ...also };
  }

  return {
    push(chunk) {
      if (!awaitsHeader) return read(chunk);
      begun = Buffer.concat([begun, chunk]);
      const header = parseProxyHeader(begun);
      if (header.kind === 'more') return header;
      if (header.kind === 'bad') return { kind: 'refused', reason: 'proxy-header-bad' };
      awaitsHeader = false;
      if (header.kind === 'none') return read(begun);
      headerLength = header.length;
      return read(begun.subarray(headerLength), header.source);
    },
    header(client, stated) {
      const isPeer = normaliseAddress(client.remoteAddress ?? '') === stated;
      return proxyHeader({
        source: stated,
        sourcePort: isPeer ? (client.remotePort ?? 0) : 0,
        destination: normaliseAddress(client.localAddress ?? ''),
        destinationPort: client.localPort ?? 0,
      });
    },
  };
}

const withoutFirst =
  (length: number) =>
  (held: Buffer[]): Buffer[] =>
    length === 0 ? held : [Buffer.concat(held).subarray(length)];
