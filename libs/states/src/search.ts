import { hash } from 'node:crypto';

/** What can happen in a small world, as a search sees it. States are values: nothing changes one. */
export interface Model<S> {
  readonly initial: S;
  /** Everything that can happen next, each with its name. */
  next(state: S): Iterable<Step<S>>;
  /** The same text for states from which the same can happen. */
  keyOf(state: S): string;
}

export interface Step<S> {
  readonly name: string;
  readonly state: S;
  /** The rule that this step broke. */
  readonly broken?: string | undefined;
}

export interface Found {
  readonly states: number;
  readonly steps: number;
  /** The longest of the shortest ways to a state. */
  readonly depth: number;
  /** `all`: there is no other state. `depth`: all orders of so many events were tried. `states`: it was given up. */
  readonly ended: 'all' | 'depth' | 'states' | 'broken';
  readonly broken: { readonly rule: string; readonly way: readonly string[] } | undefined;
}

export interface Bound {
  /** Events of one history. */
  readonly depthMax: number;
  readonly statesMax: number;
}

/** Breadth first: what it finds broken, it finds by a shortest way. */
export function search<S>({ initial, next, keyOf }: Model<S>, { depthMax, statesMax }: Bound): Found {
  const known = new Map<string, number>([[digest(keyOf(initial)), 0]]);
  const before = [-1];
  const names = ['begin'];
  let frontier: { readonly state: S; readonly index: number }[] = [{ state: initial, index: 0 }];
  let steps = 0;
  let depth = 0;

  function wayTo(index: number, last: string): readonly string[] {
    const way = [last];
    for (let at = index; at > 0; at = before[at] as number) way.push(names[at] as string);
    return way.reverse();
  }

  while (frontier.length > 0 && depth < depthMax) {
    const reached: typeof frontier = [];
    for (const { state, index } of frontier) {
      for (const step of next(state)) {
        steps += 1;
        if (step.broken !== undefined) {
          const broken = { rule: step.broken, way: wayTo(index, step.name) };
          return { states: known.size, steps, depth: depth + 1, ended: 'broken', broken };
        }
        const key = digest(keyOf(step.state));
        if (known.has(key)) continue;
        if (known.size >= statesMax) return { states: known.size, steps, depth, ended: 'states', broken: undefined };
        known.set(key, before.length);
        reached.push({ state: step.state, index: before.length });
        before.push(index);
        names.push(step.name);
      }
    }
    if (reached.length > 0) depth += 1;
    frontier = reached;
  }
  return { states: known.size, steps, depth, ended: frontier.length === 0 ? 'all' : 'depth', broken: undefined };
}

/** 128 bits: with millions of states, two of them alike are not to be expected. */
const digest = (key: string): string => hash('md5', key, 'base64');
