/** What the page tells people to type. */
export interface Advice {
  readonly service: string;
  readonly cli: string;
  /** The application's own port, where the service is brought back to. */
  readonly port: number;
}
