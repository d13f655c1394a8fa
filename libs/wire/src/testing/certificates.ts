import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsFiles } from '../tls-files.ts';

/** A certificate authority in a directory of its own, for tests over real TLS. */
export interface TestAuthority {
  readonly directory: string;
  readonly caFile: string;
  /** Writes `<name>.crt` and `<name>.key`, over what is there. `sans` in OpenSSL's form: `URI:spiffe://…,DNS:localhost`. */
  issue(name: string, sans: string): TlsFiles;
  remove(): void;
}

export function createTestAuthority(): TestAuthority {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-wire-'));
  const at = (name: string): string => join(directory, name);
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: directory, stdio: 'ignore' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.crt', '-subj', '/CN=test CA', '-days', '2');
  return {
    directory,
    caFile: at('ca.crt'),
    issue(name, sans) {
      writeFileSync(at(`${name}.ext`), `subjectAltName=${sans}\nextendedKeyUsage=serverAuth,clientAuth\n`);
      openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
      const signing = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '1', '-extfile', `${name}.ext`];
      openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.crt`, ...signing);
      return { caFile: at('ca.crt'), certFile: at(`${name}.crt`), keyFile: at(`${name}.key`) };
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
