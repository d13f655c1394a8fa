/** What the load client is told to do: opens all connections, says so, and works when it is told to go on. */
export type Work =
  /** `count` tunnels, on each of which a message of `bytes` travels to and fro. */
  | { readonly kind: 'echo'; readonly count: number; readonly bytes: number; readonly seconds: number }
  /** `count` readers of one stream of events; the next event is sent when all have read the last. */
  | { readonly kind: 'events'; readonly count: number; readonly seconds: number }
  /** `count` tunnels on which nothing happens until it is told to go on. */
  | { readonly kind: 'hold'; readonly count: number };

export interface Job {
  readonly work: Work;
  readonly host: string;
  readonly port: number;
  readonly appPort: number;
  readonly ca: string;
}

export type Told =
  | { readonly kind: 'opened' }
  /** `count`: messages echoed, or events read. */
  | { readonly kind: 'done'; readonly count: number; readonly us: number }
  | { readonly kind: 'failed'; readonly reason: string };
