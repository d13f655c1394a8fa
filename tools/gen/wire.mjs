import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, delimiter, join } from 'node:path';
import { root } from '../start/root.mjs';

export const WIRE = 'libs/wire/src/gen';

/** What `buf generate` makes of proto/ by proto/buf.gen.yaml, path to text. Never written into the checkout by buf itself. */
export function wireFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-gen-'));
  try {
    // buf.gen.yaml says ../libs/wire/src/gen, from proto/.
    buf(['generate', '--output', join(folder, 'proto')]);
    const made = globSync('**/*.ts', { cwd: join(folder, WIRE) }).sort();
    if (made.length === 0) throw new Error(`buf generate wrote nothing into ${WIRE}`);
    return Object.fromEntries(made.map((file) => [join(WIRE, file), readFileSync(join(folder, WIRE, file), 'utf8')]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function buf(args) {
  const bin = join(root, 'node_modules', '.bin');
  const PATH = [dirname(process.execPath), bin, process.env.PATH].join(delimiter);
  const ended = spawnSync(process.execPath, [join(root, 'node_modules/@bufbuild/buf/bin/buf'), ...args], {
    cwd: join(root, 'proto'),
    encoding: 'utf8',
    env: { ...process.env, PATH },
  });
  if (ended.status !== 0) throw new Error(`buf ${args[0]} failed\n${ended.stdout}${ended.stderr}`);
}
