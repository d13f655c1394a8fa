import { forbidden, pure } from '../layers.mjs';

/** The packages among a bundle's inputs, with the file that proves each. Our own libs by their package names. */
export function packagesIn(inputs) {
  const found = new Map();
  for (const input of inputs) {
    const name = packageOfFile(input);
    if (name !== undefined && !found.has(name)) found.set(name, input);
  }
  return found;
}

/** The innermost node_modules decides: packages nest. */
function packageOfFile(input) {
  const parts = input.split('node_modules/');
  if (parts.length > 1) return /^(@[^/]+\/)?[^/]+/.exec(parts.at(-1))?.[0];
  const own = /^(?:libs|apps)\/([^/]+)\//.exec(input);
  return own === null ? undefined : `@sallyport/${own[1]}`;
}

/** One complaint for each package that an app may not hold. */
export function mayNotContain(app, inputs, map = forbidden) {
  const present = packagesIn(inputs);
  return Object.entries(map[app] ?? {})
    .filter(([name]) => present.has(name))
    .map(([name, reason]) => `the bundle of ${app} contains ${name} (${present.get(name)}). ${reason}`);
}

/** One complaint for each file that is there for tests only. */
export function testFilesIn(app, inputs) {
  return inputs
    .filter((input) => /^(libs|apps)\/.*(\/testing\/|\.test\.)/.test(input))
    .map((input) => `the bundle of ${app} contains ${input}, which is for tests`);
}

/** A pure lib holds its own files and those of the libs it may import, and asks the outside for nothing. */
export function purityOf(lib, { inputs, outputs }) {
  const allowed = new Set([lib, ...reachable(lib)].map((name) => `@sallyport/${name}`));
  const strangers = [...packagesIn(Object.keys(inputs))].filter(([name]) => !allowed.has(name));
  const outside = Object.values(outputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external).map(({ path }) => path),
  );
  return [
    ...strangers.map(([name, file]) => `the pure lib ${lib} contains ${name} (${file})`),
    ...outside.map((path) => `the pure lib ${lib} imports ${path}`),
  ];
}

function reachable(lib) {
  return pure[lib].flatMap((each) => [each, ...reachable(each)]);
}
