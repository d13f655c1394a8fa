import { join } from 'node:path';
import { createVitest, type TestCase, type TestSpecification, type Vitest } from 'vitest/node';
import { applyEdits, type Mutant } from '../mutant.ts';
import type { Killer, Outcome } from '../outcome.ts';
import { ROOT } from '../root.ts';

/** The tests, kept ready in this process: a mutant is a matter of milliseconds, not of a new start. */
export interface Tests {
  /** `filters`: folders or files whose tests know the mutated ones. `only`: one of their tests, as `nameOf` names it. */
  run(mutant: Mutant, filters: readonly string[], only?: string): Promise<Outcome>;
  close(): Promise<void>;
}

const QUIET = {};
/** A test of the mutated rule that takes this long has come into a loop that it does not leave. */
const TEST_ENDS_WITHIN_MS = 10_000;

export async function openTests(): Promise<Tests> {
  let present: Mutant | undefined;
  const mutate = {
    name: 'mutant',
    enforce: 'pre' as const,
    transform(code: string, id: string) {
      const [path = ''] = id.split('?');
      const edits = present?.edits.filter(({ file }) => join(ROOT, file) === path) ?? [];
      return edits.length === 0 ? undefined : { code: applyEdits(code, edits), map: null };
    },
  };
  const vitest = await createVitest(
    // What one mutant was transformed to must not be found again for the next.
    {
      ...{ root: ROOT, watch: false, reporters: [QUIET], isolate: false, pool: 'threads', maxWorkers: 1, fsModuleCache: false },
      testTimeout: TEST_ENDS_WITHIN_MS,
    },
    { plugins: [mutate], logLevel: 'silent' },
  );
  const found = new Map<string, readonly TestSpecification[]>();
  /** Files that were run without any mutant, and what failed there: its word about one is worth nothing. */
  const tried = new Set<string>();
  const broken = new Set<string>();

  async function specificationsOf(filters: readonly string[]): Promise<readonly TestSpecification[]> {
    const key = filters.join(' ');
    const known = found.get(key) ?? (await vitest.globTestSpecifications([...filters]));
    found.set(key, known);
    return known;
  }

  function load(mutant: Mutant | undefined): void {
    const files = [...(mutant?.edits ?? []), ...(present?.edits ?? [])].map(({ file }) => join(ROOT, file));
    present = mutant;
    for (const file of new Set(files)) vitest.invalidateFile(file);
  }

  async function tryWithout(specifications: readonly TestSpecification[]): Promise<void> {
    const fresh = specifications.filter(({ moduleId }) => !tried.has(moduleId));
    if (fresh.length === 0) return;
    load(undefined);
    const failed = await failuresOf(vitest, fresh);
    // Twice, since a busy machine is no reason to leave a test out.
    if (failed.length > 0) for (const { name } of await failuresOf(vitest, fresh)) broken.add(name);
    if (broken.size > 0) console.error(`fails without any mutant, and is not listened to: ${[...broken].join(', ')}`);
    for (const { moduleId } of fresh) tried.add(moduleId);
  }

  return {
    async run(mutant, filters, only) {
      const specifications = await specificationsOf(filters);
      await tryWithout(specifications);
      load(mutant);
      const failed = await failuresOf(vitest, specifications, only);
      const [first] = failed.filter(({ name }) => !broken.has(name));
      const asserted = failed.find(({ name, isAssertion }) => isAssertion && !broken.has(name));
      if (asserted !== undefined) return { kind: 'killed', by: killer(asserted.name) };
      return first === undefined ? { kind: 'survived' } : { kind: 'crashed', why: `${first.name}: ${first.why}` };
    },
    close: () => vitest.close(),
  };
}

const killer = (name: string): Killer => ({ kind: 'test', name });

interface Failed {
  readonly name: string;
  readonly isAssertion: boolean;
  readonly why: string;
}

async function failuresOf(
  vitest: Vitest,
  specifications: readonly TestSpecification[],
  only?: string,
): Promise<readonly Failed[]> {
  // What it knows of earlier runs would be told again as of this one.
  vitest.state.filesMap.clear();
  vitest.state.idMap.clear();
  if (only === undefined) vitest.resetGlobalTestNamePattern();
  else vitest.setGlobalTestNamePattern(patternOf(only));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications([...specifications], false);
  const outside = unhandledErrors.map((error): Failed => ({ name: 'outside of tests', isAssertion: false, why: String(error) }));
  const inside = testModules.flatMap((module) => {
    const file = module.relativeModuleId;
    const [error] = module.errors();
    const whole: Failed[] = error === undefined ? [] : [{ name: file, isAssertion: false, why: error.message }];
    // Nobody has looked: that is no survivor.
    if (module.state() !== 'passed' && module.state() !== 'failed')
      whole.push({ name: file, isAssertion: false, why: 'was not run' });
    return [...whole, ...[...module.children.allTests('failed')].map((test) => failure(file, test))];
  });
  return [...inside, ...outside];
}

/** A test is known by its file and the titles that it stands under; it is found by the titles. */
function patternOf(name: string): RegExp {
  const [, ...titles] = name.split(' > ');
  return new RegExp(`^${titles.join(' ').replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`);
}

/** What a seed or a scenario says when something threw: no word about the rule that was taken out. */
const THROWN = /nothing throws/;
/** A scenario that waits for what no longer comes: as good as an assertion. */
const IN_VAIN = /ms have passed without: |^it never came to that$/;

function failure(file: string, test: TestCase): Failed {
  const errors = test.result().errors ?? [];
  const isAssertion = errors.some(({ name, message, cause }) => {
    // A property names the assertion that its smallest example failed.
    const inside = (cause as { readonly name?: string } | undefined)?.name;
    if (THROWN.test(message)) return false;
    return name === 'AssertionError' || inside === 'AssertionError' || /AssertionError/.test(message) || IN_VAIN.test(message);
  });
  return { name: `${file} > ${test.fullName}`, isAssertion, why: errors[0]?.message ?? 'failed' };
}
