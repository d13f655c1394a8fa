import type { Status } from './status.ts';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** What becomes of a request instead of its answer. */
export type Fault =
  | { readonly kind: 'status'; readonly status: Status }
  /** The connection is reset. */
  | { readonly kind: 'reset' }
  /** No answer, ever. */
  | { readonly kind: 'hang' }
  /** An answer that is no JSON. */
  | { readonly kind: 'garbage' }
  /** Answered once this has resolved. */
  | { readonly kind: 'held'; readonly until: Promise<void> };

export interface Faults {
  /** For the next `times` requests that it is about. */
  on(which: (asked: Asked) => boolean, fault: Fault, times?: number): void;
  clear(): void;
  take(asked: Asked): Fault | undefined;
}

export function createFaults(): Faults {
  let planned: { which: (asked: Asked) => boolean; fault: Fault; left: number }[] = [];
  return {
    on: (which, fault, times = 1) => void planned.push({ which, fault, left: times }),
    clear: () => {
      planned = [];
    },
    take(asked) {
      const found = planned.find(({ which }) => which(asked));
      if (found === undefined) return undefined;
      found.left -= 1;
      if (found.left <= 0) planned = planned.filter((each) => each !== found);
      return found.fault;
    },
  };
}

export const isList = ({ method, query }: Asked): boolean =>
  method === 'GET' && query.get('watch') === null && query.has('limit');
export const isWatch = ({ query }: Asked): boolean => query.get('watch') !== null;
export const isReview = ({ path }: Asked): boolean => path.endsWith('/tokenreviews');
