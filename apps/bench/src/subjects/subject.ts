/** A proxy that can be measured. */
export interface Subject {
  readonly name: string;
  /** What exactly was measured; undefined: it is not installed. */
  version(): string | undefined;
  /** How to get it where it is missing. */
  readonly installWith: string;
  /** Scenarios that it cannot run, and why. */
  readonly cannot: Readonly<Record<string, string>>;
  /** What to start, once its files are in `place.folder`. */
  command(place: Place): Command;
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Where a subject runs, and for what. */
export interface Place {
  /** For its configuration and whatever it writes. */
  readonly folder: string;
  /** Of TLS, on 127.0.0.1. */
  readonly port: number;
  readonly appPort: number;
  readonly host: string;
  readonly certFile: string;
  readonly keyFile: string;
}
