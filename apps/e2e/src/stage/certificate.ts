import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Authority, createAuthority, type Issued } from '@sallyport/pki';
import { createClock } from '@sallyport/process';
import { type Certificates, watchCertificates } from '@sallyport/proxy';

export const DOMAIN = 'apps.test';

export interface TestCertificates {
  readonly certificates: Certificates;
  readonly authority: Authority;
}

let made: Promise<TestCertificates> | undefined;

/** One authority and one certificate for all stages of this process: they are not what differs between cases. */
export function testCertificates(): Promise<TestCertificates> {
  made ??= make();
  return made;
}

export const issueFor = (authority: Authority, domain: string): Promise<Issued> =>
  authority.issue({ dnsNames: [`*.${domain}`], usages: ['server'], days: 30, now: new Date() });

export const newAuthority = (): Promise<Authority> => createAuthority({ commonName: 'e2e', days: 60, now: new Date() });

async function make(): Promise<TestCertificates> {
  const authority = await newAuthority();
  const { certPem, keyPem } = await issueFor(authority, DOMAIN);
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-e2e-'));
  const [certFile, keyFile] = [join(directory, 'tls.crt'), join(directory, 'tls.key')];
  writeFileSync(certFile, certPem);
  writeFileSync(keyFile, keyPem);
  const clock = createClock();
  const watched = await watchCertificates({ pairs: [{ certFile, keyFile }], clock, onProblem: () => {}, onSwapped: () => {} });
  if (!watched.ok) throw new Error(watched.error);
  // They are read, and nothing changes them: no stage needs the clock that would look at them again.
  watched.value.stop();
  clock.stop();
  rmSync(directory, { recursive: true });
  return { certificates: watched.value, authority };
}
