/**
 * One cell for each set of label values. prom-client makes a text of all labels for each increment, which is a tenth of what a small
 * request costs; here finding the cell is a look into a map for each label, and prom-client is told later. As many cells as there are
 * sets of values, and those are closed.
 */
export interface Cells<L extends string, C> {
  at(labels: Readonly<Record<L, string>>): C;
  /** Every cell that was asked for, since the beginning. */
  all(): readonly C[];
}

type Branch<C> = Map<string, Branch<C> | C>;

/** @param create a new cell, for its labels in the order of `names` */
export function createCells<L extends string, C extends object>(
  names: readonly L[],
  create: (labels: Readonly<Record<L, string>>) => C,
): Cells<L, C> {
  const root: Branch<C> = new Map();
  const cells: C[] = [];
  const last = names.length - 1;
  const inOrder = (labels: Readonly<Record<L, string>>): Record<L, string> =>
    Object.fromEntries(names.map((name) => [name, labels[name]])) as Record<L, string>;

  function make(branch: Branch<C>, value: string, labels: Readonly<Record<L, string>>, depth: number): Branch<C> | C {
    let made: Branch<C> | C = new Map();
    if (depth === last) {
      made = create(inOrder(labels));
      cells.push(made);
    }
    branch.set(value, made);
    return made;
  }

  return {
    at(labels) {
      let here: Branch<C> | C = root;
      for (let depth = 0; depth <= last; depth++) {
        const branch = here as Branch<C>;
        const value = labels[names[depth] as L];
        here = branch.get(value) ?? make(branch, value, labels, depth);
      }
      return here as C;
    },
    all: () => cells,
  };
}
