import { join } from 'node:path';
import { createVitest, type TestCase, type TestSpecification, type Vitest } from 'vitest/node';
import { applyEdits, type Mutant } from '../mutant.ts';
import type { Killer, Outcome } from '../outcome.ts';
import { ROOT } from '../root.ts';

/** The unit tests, kept ready in this process: a mutant is a matter of milliseconds, not of a new start. */
export interface UnitTests {
  /** `filters`: folders or files whose tests know the mutated ones. */
  run(mutant: Mutant | undefined, filters: readonly string[]): Promise<Outcome>;
  close(): Promise<void>;
}

const QUIET = {};

export async function openTests(): Promise<UnitTests> {
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
    { root: ROOT, watch: false, reporters: [QUIET], isolate: false, pool: 'threads', maxWorkers: 1, fsModuleCache: false },
    { plugins: [mutate], logLevel: 'silent' },
  );
  const found = new Map<string, readonly TestSpecification[]>();
  /** Fail without any mutant: their word about one is worth nothing. */
  const broken = new Set<string>();

  async function specificationsOf(filters: readonly string[]): Promise<readonly TestSpecification[]> {
    const key = filters.join(' ');
    const known = found.get(key) ?? (await vitest.globTestSpecifications([...filters]));
    found.set(key, known);
    return known;
  }

  return {
    async run(mutant, filters) {
      const specifications = await specificationsOf(filters);
      const files = [...(mutant?.edits ?? []), ...(present?.edits ?? [])].map(({ file }) => join(ROOT, file));
      present = mutant;
      for (const file of new Set(files)) vitest.invalidateFile(file);
      const failed = await failuresOf(vitest, specifications);
      if (mutant === undefined) for (const { name } of failed) broken.add(name);
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

async function failuresOf(vitest: Vitest, specifications: readonly TestSpecification[]): Promise<readonly Failed[]> {
  const { testModules } = await vitest.runTestSpecifications([...specifications], false);
  return testModules.flatMap((module) => {
    const file = module.relativeModuleId;
    const [error] = module.errors();
    const whole: Failed[] = error === undefined ? [] : [{ name: file, isAssertion: false, why: error.message }];
    return [...whole, ...[...module.children.allTests('failed')].map((test) => failure(file, test))];
  });
}

function failure(file: string, test: TestCase): Failed {
  const errors = test.result().errors ?? [];
  const isAssertion = errors.some(({ name, message, cause }) => {
    // A property names the assertion that its smallest example failed.
    const inside = (cause as { readonly name?: string } | undefined)?.name;
    return name === 'AssertionError' || inside === 'AssertionError' || /AssertionError/.test(message);
  });
  return { name: `${file} > ${test.fullName}`, isAssertion, why: errors[0]?.message ?? 'failed' };
}
