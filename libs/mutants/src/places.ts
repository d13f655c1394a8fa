import { globSync } from 'node:fs';
import { ROOT } from './root.ts';
import type { Breadth } from './scan/guards.ts';

/** A file that holds guards, and the tests that know it: folders or files, as vitest filters by them. */
export interface Place {
  readonly file: string;
  readonly breadth: Breadth;
  readonly tests: readonly string[];
}

const RULES_OF_AUTHORITY = ['libs/authority/', 'libs/session/', 'libs/catalog/src/eligibility.test.ts'];

/** What only keeps: the records' shapes, and the view that they make. */
const KEEPS = /\/(records|world)\.ts$/;

/** Every file of a library in which nothing but rules is. */
const rulesOf = (library: string, tests: readonly string[]): readonly Place[] =>
  globSync(`libs/${library}/src/*.ts`, { cwd: ROOT })
    .filter((file) => !file.endsWith('.test.ts') && !KEEPS.test(file))
    .sort()
    .map((file): Place => ({ file, breadth: file.endsWith('/timers.ts') ? 'relations' : 'rules', tests }));

const catalog = ['eligibility', 'evidence'].map(
  (name): Place => ({
    file: `libs/catalog/src/${name}.ts`,
    breadth: 'rules',
    tests: ['libs/catalog/', 'apps/discovery/src/catalog-view'],
  }),
);

const gateway = (breadth: Breadth, names: readonly string[]): readonly Place[] =>
  names.map((name) => ({ file: `apps/gateway/src/${name}.ts`, breadth, tests: ['apps/gateway/'] }));

/** Where the rules are, and where their guards are written into transactions. The check finds guards that are elsewhere. */
export const PLACES: readonly Place[] = [
  ...rulesOf('authority', RULES_OF_AUTHORITY),
  ...rulesOf('session', ['libs/session/']),
  ...catalog,
  { file: 'libs/routes/src/admit.ts', breadth: 'rules', tests: ['libs/routes/'] },
  { file: 'libs/store/src/cache.ts', breadth: 'store', tests: ['libs/store/src/cache.test.ts', 'libs/view/'] },
  { file: 'libs/store/src/memory-engine.ts', breadth: 'store', tests: ['libs/store/src/memory.test.ts'] },
  { file: 'apps/discovery/src/catalog-view.ts', breadth: 'store', tests: ['apps/discovery/src/catalog-view'] },
  ...gateway('rules', ['publish', 'ownership-writes', 'session-service', 'poll-service', 'boundaries']),
  ...gateway('store', ['writer', 'membership', 'renewals', 'joins', 'member-sweeper', 'record-sweeper', 'sessions', 'assign']),
  ...gateway('store', ['endpoints', 'generations', 'registrations', 'declarations', 'grants', 'replica']),
];
