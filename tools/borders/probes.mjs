import { deniedGlobals, folderOf, forbidden, isPure, layers, packageOf } from '../layers.mjs';

/**
 * One probe is a few lines in one project's src/ and the tool that must refuse them (undefined: none may). The borders hold when
 * every probe is answered as it says. Probes of one title share a file, so names have a $ that becomes another number in each.
 */
export function probes() {
  return Object.keys(layers).flatMap((from) => [
    ...Object.keys(layers).flatMap((to) => (to === from ? [] : importProbes(from, to))),
    ...Object.keys(forbidden[from] ?? {}).flatMap((name) => packageProbes(from, name)),
    ...(isPure(from) ? pureProbes(from) : []),
    ...ownProbes(from),
  ]);
}

const IMPORTS = 'lint/style/noRestrictedImports';
const GLOBALS = 'lint/style/noRestrictedGlobals';
const PLUGIN = 'plugin';

const forms = {
  'static import': (name) => `import { x as x$ } from '${name}';\nexport const y$ = x$;`,
  'import of a part': (name) => `import { x as x$ } from '${name}/part';\nexport const y$ = x$;`,
  'import for its effects': (name) => `import '${name}';`,
  'type-only import': (name) => `import type { X as X$ } from '${name}';\nexport type Y$ = X$;`,
  'inline type import': (name) => `import { type X as X$ } from '${name}';\nexport type Y$ = X$;`,
  're-export of all': (name) => `export * from '${name}';`,
  're-export by name': (name) => `export { x as x$ } from '${name}';`,
  're-export of a type': (name) => `export type { X as X$ } from '${name}';`,
  'dynamic import': (name) => `export const load$ = () => import('${name}');`,
};

function importProbes(from, to) {
  const other = `../../${folderOf(to) === `apps/${to}` ? 'apps' : 'libs'}`;
  const paths = {
    'path to the source': ['probe', `../${to}/src/index.ts`],
    'path by way of the root': ['probe', `${other}/../${folderOf(to)}/src/index.ts`],
    'path from a nested folder': ['nested/probe', `../../../${to}/src/index.ts`],
    'path to the build': ['probe', `../../${to}/dist/index.js`],
    'path through node_modules': ['probe', `../../../node_modules/${packageOf(to)}/src/index.ts`],
  };
  const allowed = layers[from].includes(to);
  // A pure lib imports nothing at run time, not even what it may import.
  const answers = Object.entries(forms).map(([title, code]) => {
    const refusedBy = !allowed ? IMPORTS : isPure(from) && title === 'dynamic import' ? PLUGIN : undefined;
    return { title, from, to, code: code(packageOf(to)), refusedBy };
  });
  return [
    ...answers,
    { title: 'type in place', from, to, code: `export type Y$ = import('${packageOf(to)}').X;`, refusedBy: PLUGIN },
    { title: 'path inside the package', from, to, code: `import '${packageOf(to)}/src/index.ts';`, refusedBy: IMPORTS },
    ...Object.entries(paths).map(([title, [place, path]]) => ({
      title,
      from,
      to,
      place,
      code: `import '${path}';`,
      refusedBy: IMPORTS,
    })),
  ];
}

function packageProbes(from, name) {
  const probe = (title, code) => ({ title, from, to: name, code, refusedBy: IMPORTS });
  return [
    ...Object.entries(forms).map(([title, code]) => probe(title, code(name))),
    probe('path inside the package', `import '${name}/lib/index.js';`),
  ];
}

function pureProbes(from) {
  const globals = Object.keys(deniedGlobals).flatMap((name) => [
    { title: 'a banned global', from, to: name, code: `export const x$ = ${name};`, refusedBy: GLOBALS },
    { title: 'a banned global, as a type', from, to: name, code: `export type X$ = typeof ${name};`, refusedBy: GLOBALS },
  ]);
  const outside = ['node:fs', 'fs', 'pino', '#internal'].map((name) => {
    return { title: 'anything but a lib of ours', from, to: name, code: `import '${name}';`, refusedBy: IMPORTS };
  });
  const refused = BY_PLUGIN.map((code) => ({ title: 'what is not pure', from, to: code, code, alone: true, refusedBy: PLUGIN }));
  const fine = PURE.map((code) => ({ title: 'what is pure', from, to: code, code, alone: true, refusedBy: undefined }));
  return [...globals, ...outside, ...refused, ...fine];
}

const BY_PLUGIN = [
  'export const x = Math.random();',
  'export const x = Math?.random();',
  'export const x = Math.random;',
  "export const x = Math['random']();",
  'const { random } = Math;\nexport const x = random;',
  'const m = Math;\nexport const x = m.random();',
  'export async function f() {}',
  'export default async function f() {}',
  'export const f = async function f() {};',
  'export const f = async () => {};',
  'export const f = async (x: number) => x;',
  'export const f = async <T>(x: T) => x;',
  'export class A {\n  async f() {}\n}',
  'export class A {\n  /** Why. */\n  private static async f() {}\n}',
  'export const a = { async f() {} };',
  'export async function* f() {}',
  'export const a = { async *f() {} };',
  'export function f(all: number[]) {\n  for await (const each of all) each;\n}',
  'export const x = await y;',
  "export const x = import('./y.ts');",
  'export const x = import.meta.url;',
  'declare const process: { env: unknown };\nexport const x = process.env;',
  'declare global {\n  var x: number;\n}\nexport {};',
];

const PURE = [
  'export const x = Math.max(1, 2);',
  "import { x } from './x.ts';\nexport const y = x;",
  'export class A {\n  async(x: number) {\n    return x;\n  }\n}',
  'export const isAsync = (promise: boolean, date: string) => promise && date;',
  'declare const kind: unique symbol;\nexport type X = { [kind]: true };',
];

/** What every project may do. */
function ownProbes(from) {
  const own = [
    ['a file beside it', 'probe', "import { x } from './x.ts';\nexport const y = x;"],
    ['a file above it', 'nested/probe', "import { x } from '../x.ts';\nexport const y = x;"],
    ['a file below it', 'probe', "import { x } from './nested/x.ts';\nexport const y = x;"],
    ...(isPure(from) ? [] : [['Node', 'probe', "import { open } from 'node:fs/promises';\nexport const x = await open('y');"]]),
  ];
  return own.map(([to, place, code]) => ({ title: 'what is its own', from, to, place, code, alone: true, refusedBy: undefined }));
}
