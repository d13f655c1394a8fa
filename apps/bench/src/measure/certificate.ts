import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority } from '@sallyport/pki';

export const HOST = 'bench--app--web.apps.test';

export interface CertificateFiles {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** One certificate, P-256, for everybody. */
export async function writeCertificate(folder: string): Promise<CertificateFiles> {
  const now = new Date();
  const authority = await createAuthority({ commonName: 'bench', days: 2, now });
  const { certPem, keyPem } = await authority.issue({ dnsNames: [HOST], usages: ['server'], days: 1, now });
  const files = { caFile: join(folder, 'ca.pem'), certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
  writeFileSync(files.caFile, authority.certPem);
  writeFileSync(files.certFile, certPem);
  // nginx's worker and others may run as somebody else; the key is worth nothing beyond this run.
  writeFileSync(files.keyFile, keyPem, { mode: 0o644 });
  return files;
}
