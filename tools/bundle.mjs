// `node tools/bundle.mjs [--check] [--out=DIR] [APP…]`: each app as one file that plain Node runs with nothing else installed,
// dist/APP.mjs. Refuses a bundle that contains what the app may not hold; --check looks and writes nothing.
import { existsSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { mayNotContain, purityOf, testFilesIn } from './bundle/contents.mjs';
import { etcd3Proto } from './bundle/etcd3-proto.mjs';
import { apps, pure } from './layers.mjs';
import { root } from './start/root.mjs';

/** CommonJS packages inside an ES module look for these three. */
const COMMONJS = [
  "import { createRequire as createRequire_ } from 'node:module';",
  "import { fileURLToPath as fileURLToPath_ } from 'node:url';",
  "import { dirname as dirname_ } from 'node:path';",
  'const require = createRequire_(import.meta.url);',
  'const __filename = fileURLToPath_(import.meta.url);',
  'const __dirname = dirname_(__filename);',
].join('\n');

const common = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  conditions: ['@sallyport/source'],
  plugins: [etcd3Proto],
  metafile: true,
  logLevel: 'warning',
};

const args = process.argv.slice(2);
const isCheck = args.includes('--check');
const out = args.find((arg) => arg.startsWith('--out='))?.slice('--out='.length) ?? 'dist';
const named = args.filter((arg) => !arg.startsWith('--'));
const wanted = named.length > 0 ? named : Object.keys(apps).filter(hasMain);

const complaints = [];
for (const app of wanted) complaints.push(...(await orComplaint(app, bundleApp)));
if (isCheck) for (const lib of Object.keys(pure)) complaints.push(...(await orComplaint(lib, bundlePure)));

for (const complaint of complaints) console.error(complaint);
process.exitCode = complaints.length === 0 ? 0 : 1;

/** The others shall still be looked at; what esbuild found it has printed by then. */
async function orComplaint(name, bundle) {
  try {
    return await bundle(name);
  } catch (error) {
    return [`${name} cannot be bundled${error.errors === undefined ? `: ${error.message}` : ''}`];
  }
}

function hasMain(app) {
  return existsSync(join(root, 'apps', app, 'src', 'main.ts'));
}

async function bundleApp(app) {
  const { metafile } = await build({
    ...common,
    entryPoints: [`apps/${app}/src/main.ts`],
    outfile: join(out, `${app}.mjs`),
    platform: 'node',
    target: 'node24',
    banner: { js: COMMONJS },
    sourcemap: isCheck ? false : 'linked',
    // Stack traces name our functions.
    keepNames: true,
    write: !isCheck,
  });
  const inputs = Object.keys(metafile.inputs);
  return [...mayNotContain(app, inputs), ...testFilesIn(app, inputs)];
}

/** A pure lib bundled alone shows all that it would drag in. */
async function bundlePure(lib) {
  const entry = `libs/${lib}/src/index.ts`;
  if (!existsSync(join(root, entry))) return [];
  const { metafile } = await build({
    ...common,
    entryPoints: [entry],
    outfile: `dist/${lib}.mjs`,
    platform: 'neutral',
    // So that what it may not have is found, and named.
    mainFields: ['module', 'main'],
    external: [...builtinModules, 'node:*'],
    write: false,
  });
  return purityOf(lib, metafile);
}
