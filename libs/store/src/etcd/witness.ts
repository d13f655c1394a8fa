import type { IResponseHeader } from 'etcd3';

/** What all answers of one cluster have in common. */
export interface Witness {
  /** What speaks against an answer: it is of another cluster than the first one was. */
  problem(header: IResponseHeader): string | undefined;
  /** The newest revision that any answer has told. */
  newest(): bigint;
}

export function createWitness(): Witness {
  let clusterId: string | undefined;
  let newest = 0n;
  return {
    problem({ cluster_id, revision }) {
      clusterId ??= cluster_id;
      if (cluster_id !== clusterId) return `this etcd is of cluster ${cluster_id}, not of ${clusterId} as before`;
      const told = BigInt(revision);
      if (told > newest) newest = told;
      return undefined;
    },
    newest: () => newest,
  };
}

/** Below it are bugs that lose events or read stale data (see etcd's changelogs); we bear them, operators should not. */
export const ETCD_VERSION_MIN = '3.6.11';

export function isTooOld(version: string): boolean {
  const [is, must] = [numbersOf(version), numbersOf(ETCD_VERSION_MIN)];
  const differing = must.findIndex((part, index) => part !== is[index]);
  // Also when it is no number.
  return differing >= 0 && !((is[differing] ?? 0) > (must[differing] ?? 0));
}

const numbersOf = (version: string): number[] => version.split('.').map((part) => Number.parseInt(part, 10));
