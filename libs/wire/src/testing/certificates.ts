import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CertificateNames, createAuthority } from '@sallyport/pki';
import type { TlsFiles } from '../tls-files.ts';

/** A certificate authority in a directory of its own, for tests over real TLS. */
export interface TestAuthority {
  readonly caFile: string;
  /** Writes `<name>.crt` and `<name>.key`, over what is there. */
  issue(name: string, names: CertificateNames): Promise<TlsFiles>;
  remove(): void;
}

export async function createTestAuthority(): Promise<TestAuthority> {
  const authority = await createAuthority({ commonName: 'test CA', days: 2, now: new Date() });
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-pki-'));
  const write = (name: string, contents: string): string => {
    const path = join(directory, name);
    writeFileSync(path, contents);
    return path;
  };
  const caFile = write('ca.crt', authority.certPem);
  return {
    caFile,
    async issue(name, names) {
      const { certPem, keyPem } = await authority.issue({ ...names, usages: ['server', 'client'], days: 1, now: new Date() });
      return { caFile, certFile: write(`${name}.crt`, certPem), keyFile: write(`${name}.key`, keyPem) };
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
