/** What one run of a scenario came to. */
export interface Ran {
  /** In the scenario's unit. */
  readonly value: number;
  /** Units of work that were done; the proxy's processor time is told for one. */
  readonly opCount: number;
  /** Of the proxy alone, microseconds. */
  readonly cpuUs: number;
}
