/** Where the processes of one Pod run, and the address that is theirs alone. */
export interface Place {
  readonly address: string;
  /** The command that runs this one there. */
  inside(command: readonly string[]): readonly string[];
  /** Nothing goes in or out any more, and nobody is told. */
  cut(): void;
  mend(): void;
  /** Who may reach which of its ports; undefined: everybody reaches all. */
  guard(rules: readonly GuardRule[]): void;
  close(): void;
}

export interface GuardRule {
  readonly port: number;
  readonly from: readonly string[];
}

export interface Places {
  /** The first three numbers of all addresses; those that end in 2 to 9 are never given out unasked. */
  readonly subnet: string;
  isFree(address: string): boolean;
  /** With this address, which must be free, or with the next one. A Pod of the control plane runs on the machine itself. */
  open(wanted: string | undefined, isControlPlane: boolean): Place;
  close(): void;
}

/** Hands out the numbers of addresses; one that was given back is the last to be used again, unless it is asked for. */
export function createNumbers(first: number, last: number, addressOf: (n: number) => string) {
  const used = new Set<string>();
  let next = first;
  return {
    take(wanted: string | undefined): string {
      if (wanted !== undefined) {
        if (used.has(wanted)) throw new Error(`${wanted} is another Pod's`);
        used.add(wanted);
        return wanted;
      }
      for (let tries = first; tries <= last; tries += 1) {
        const address = addressOf(next);
        next = next === last ? first : next + 1;
        if (used.has(address)) continue;
        used.add(address);
        return address;
      }
      throw new Error('no address is left');
    },
    isFree: (address: string): boolean => !used.has(address),
    giveBack: (address: string) => void used.delete(address),
  };
}

/** Addresses of the loopback network, without any right: ports are a Pod's own, 127.0.0.1 is everybody's. */
export function loopbackPlaces(): Places {
  const subnet = '127.88.7';
  const numbers = createNumbers(10, 250, (n) => `${subnet}.${n}`);
  return {
    subnet,
    isFree: numbers.isFree,
    open(wanted) {
      const address = numbers.take(wanted);
      return {
        address,
        inside: (command) => command,
        cut: () => undefined,
        mend: () => undefined,
        guard: () => undefined,
        close: () => numbers.giveBack(address),
      };
    },
    close: () => undefined,
  };
}
