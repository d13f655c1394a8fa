import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readJson } from '../gen/json.mjs';
import { folderOf, isPure, layers, packageOf } from '../layers.mjs';
import { root } from '../start/root.mjs';

/** A workspace of nothing but borders: the layers' projects with one source each, under the real rules of Biome and tsc. */
export function createWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-borders-'));
  // Thousands of files in a few folders.
  const made = new Set();
  const write = (file, text) => {
    const parent = dirname(join(folder, file));
    if (!made.has(parent)) mkdirSync(parent, { recursive: true });
    made.add(parent);
    writeFileSync(join(folder, file), text);
  };
  const writeJson = (file, value) => write(file, JSON.stringify(value));

  // No repository here to take ignored files from.
  writeJson('biome.json', { ...readJson('biome.json'), vcs: undefined });
  cpSync(join(root, 'tools/lint'), join(folder, 'tools/lint'), { recursive: true });
  writeJson('tsconfig.base.json', readJson('tsconfig.base.json'));
  mkdirSync(join(folder, 'node_modules/@sallyport'), { recursive: true });
  symlinkSync(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  for (const name of Object.keys(layers)) {
    const at = folderOf(name);
    symlinkSync(join(folder, at), join(folder, 'node_modules', packageOf(name)));
    write(`${at}/src/index.ts`, 'export const x = 1;\nexport type X = 1;\n');
    writeJson(`${at}/package.json`, packageJson(name));
    writeJson(`${at}/tsconfig.json`, tsconfig(name));
  }
  return { folder, write };
}

const packageJson = (name) => ({
  name: packageOf(name),
  type: 'module',
  exports: { '.': { '@sallyport/source': './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' } },
  dependencies: Object.fromEntries(layers[name].map((each) => [packageOf(each), '0.1.0'])),
});

const tsconfig = (name) => ({
  extends: '../../tsconfig.base.json',
  compilerOptions: { rootDir: 'src', outDir: 'dist', tsBuildInfoFile: 'dist/.tsbuildinfo', types: isPure(name) ? [] : ['node'] },
  include: ['src'],
  references: layers[name].map((each) => ({ path: `../../${folderOf(each)}` })),
});
