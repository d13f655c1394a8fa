import type { RuntimeId } from '@sallyport/model';
import { type BoundaryNode, createBoundaryNode } from './boundary-node.ts';
import type { Surroundings } from './surroundings.ts';

/** The boundaries of all workloads, also of lives that are over but for the machine that nobody reaches. */
export interface Boundaries {
  /** One for this life of the workload; those before are over, at once or after a while. The value is its address. */
  begin(workload: string, runtimeId: RuntimeId): string;
  at(address: string): BoundaryNode | undefined;
  /** Those that stand. */
  all(): readonly BoundaryNode[];
}

/** How long a Pod that was replaced may still run where nobody can tell it to stop. */
const LINGERS_MS_MAX = 60_000;

export function createBoundaries(surroundings: () => Surroundings, calm: boolean): Boundaries {
  const byAddress = new Map<string, BoundaryNode>();
  const byWorkload = new Map<string, { readonly place: string; node: BoundaryNode | undefined; lives: number }>();

  function leave(node: BoundaryNode): void {
    const { schedule, random } = surroundings();
    const end = (): void => {
      node.end();
      byAddress.delete(node.address);
    };
    if (calm || random.chance(0.5)) end();
    else schedule.after(random.between(0, LINGERS_MS_MAX), { who: 'fate', does: 'ends a Pod' }, end);
  }

  return {
    begin(workload, runtimeId) {
      const known = byWorkload.get(workload) ?? { place: `b${byWorkload.size}`, node: undefined, lives: 0 };
      byWorkload.set(workload, known);
      if (known.node !== undefined) leave(known.node);
      known.lives += 1;
      const address = `${known.place}-${known.lives}:7443`;
      const node = createBoundaryNode(known.place, address, runtimeId, surroundings());
      byAddress.set(address, node);
      known.node = node;
      node.start();
      return address;
    },
    at: (address) => byAddress.get(address),
    all: () => [...byAddress.values()],
  };
}
