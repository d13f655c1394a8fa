import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TestPair {
  readonly cert: string;
  readonly key: string;
}

/** A self-signed certificate, which is its own authority. */
export function makePair(names: readonly string[]): TestPair {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-pair-'));
  const [certFile, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  const san = `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`;
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile];
  execFileSync('openssl', ['req', '-x509', ...key, '-out', certFile, '-days', '30', '-subj', '/CN=test', '-addext', san], {
    stdio: 'pipe',
  });
  const pair = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  rmSync(directory, { recursive: true });
  return pair;
}
