/** What a service's owner decided about the fields that dev servers look at. The same for HTTP and WebSocket. */
export interface ServicePolicy {
  /** Host that the application sees: the public name, `localhost:<port>`, or a value. */
  readonly host: 'public' | 'loopback' | { readonly value: string };
  /**
   * `match-host` rewrites the Origin of the service's own pages to fit the Host that is sent. A foreign Origin stays as it
   * is: rewriting it too would make every site in the world same-origin to the application.
   */
  readonly origin: 'keep' | 'match-host' | 'strip';
  /** `isolate` takes the Domain from a Set-Cookie unless it is exactly this host. */
  readonly cookies: 'isolate' | 'pass';
}

export const DEFAULT_POLICY: ServicePolicy = { host: 'public', origin: 'keep', cookies: 'isolate' };
