import { deniedGlobals, folderOf, forbidden, isPure, layers, packageOf } from '../layers.mjs';

/** Tests and what only they use may import anything: they are in no build and in no bundle. */
const TESTS = ['!**/*.test.ts', '!**/testing/**'];

/** The part of biome.json that the layer table decides. */
export function borderOverrides() {
  return [...Object.keys(layers).map(importsOf), globalsOfPureLibs()];
}

/**
 * One override a project: where two set the same rule for a file, Biome takes the last and forgets the other.
 * A pure lib imports nothing but what is listed; for the rest npm packages are noUndeclaredDependencies' business.
 */
function importsOf(name) {
  // With the parts that their `exports` name; what is not exported is refused as a path.
  const allowed = layers[name].flatMap((each) => [`!${packageOf(each)}`, `!${packageOf(each)}/**`]);
  const packages = isPure(name)
    ? { group: ['**', '!./**', '!../**', ...allowed], message: `A pure lib: of packages it may import ${list(name)}.` }
    : { group: ['@sallyport/*', '@sallyport/*/**', ...allowed], message: `Of ours it may import ${list(name)}.` };
  const never = Object.entries(forbidden[name] ?? {}).map(([each, message]) => ({ group: [each, `${each}/**`], message }));
  const options = { patterns: [...never, packages, { group: OTHER_FOLDERS, message: 'Import another project by its package name.' }] };
  return override([`${folderOf(name)}/src/**`, ...TESTS], { style: { noRestrictedImports: { level: 'error', options } } });
}

/** No path inside a project has these in it; every path into another project does. */
const OTHER_FOLDERS = ['**/src/**', '**/dist/**', '**/libs/**', '**/apps/**', '**/node_modules/**'];

function list(name) {
  const names = layers[name];
  return names.length === 0 ? 'nothing' : names.join(', ');
}

function globalsOfPureLibs() {
  const includes = Object.keys(layers).filter(isPure).map((name) => `${folderOf(name)}/src/**`);
  return {
    includes: [...includes, ...TESTS],
    plugins: ['./tools/lint/pure.grit'],
    linter: { rules: { style: { noRestrictedGlobals: { level: 'error', options: { deniedGlobals } } } } },
  };
}

const override = (includes, rules) => ({ includes, linter: { rules } });
