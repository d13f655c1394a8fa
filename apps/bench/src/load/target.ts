import type { Cores } from '../measure/cores.ts';
import type { Usage } from '../measure/process-tree.ts';
import type { LoadClient } from './client.ts';

/** A running proxy, as the load sees it, and what it has used so far. */
export interface Target {
  readonly cores: Cores;
  readonly host: string;
  /** On 127.0.0.1. */
  readonly port: number;
  readonly caFile: string;
  /** The application itself, past the proxy. */
  readonly appPort: number;
  readonly client: LoadClient;
  readonly usage: () => Usage;
}
