/** Something secret or trusted: in a file that is read again as it changes, or given once. */
export type Given = { readonly kind: 'file'; readonly path: string } | { readonly kind: 'inline'; readonly value: string };

/** How an API server is reached and convinced. */
export interface Access {
  /** Scheme, host and port, and the path under which the API lies; without a slash at its end. */
  readonly server: string;
  /** PEM. Absent: the certificate authorities that Node trusts. */
  readonly ca: Given | undefined;
  /** A bearer token. */
  readonly token: Given | undefined;
  readonly client: { readonly cert: Given; readonly key: Given } | undefined;
  /** The name in the server's certificate, where it is not the one that is dialled. */
  readonly serverName: string | undefined;
}

export const inFile = (path: string): Given => ({ kind: 'file', path });
export const inline = (value: string): Given => ({ kind: 'inline', value });
