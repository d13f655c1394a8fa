import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { PeerCertificate } from 'node:tls';
import { formatAddress } from '@sallyport/model';
import { describe, look } from '../dial.ts';
import { type Finding, fails, holds, skipped } from './finding.ts';
import { type CertificateFacts, judgeCertificate } from './judge-certificate.ts';

export interface AppsChecked {
  readonly domain: string;
  /** A name under the domain that nobody declares. */
  readonly probe: string;
  /** Hosts that are published now. */
  readonly hosts: readonly string[];
  /** Where applications are reached. Undefined: nobody knows. */
  readonly at: { readonly host: string; readonly port: number } | undefined;
  readonly caFile: string | undefined;
  /** A certificate that shall be used, or is. */
  readonly certFile: string | undefined;
  readonly nowMs: number;
}

/** The port for applications, and the certificate that browsers see there. */
export async function checkApps(apps: AppsChecked): Promise<readonly Finding[]> {
  const { domain, probe, hosts, at, caFile, certFile, nowMs } = apps;
  const inFile = certFile === undefined ? [] : [certificateInFile(certFile, apps)];
  if (at === undefined) {
    const next = 'give --app-address HOST:PORT of your ingress, or of a supervisor';
    return [skipped('app port', 'not looked at: nobody said where applications are reached', next), ...inFile];
  }
  const host = hosts[0] ?? probe;
  const where = formatAddress(at);
  const seen = await look({ address: at.host, port: at.port, host, caFile });
  if (seen.kind === 'name-refused' && hosts.length === 0) {
    const open = holds('app port', `${where} listens, and refuses names that nobody declares`);
    const next = 'expose a service, or give --cert-file with the certificate that supervisors have';
    return [open, ...(inFile.length > 0 ? inFile : [skipped('certificate', 'not seen: nothing is published yet', next)])];
  }
  if (seen.kind !== 'certificate') {
    const { detail, nextStep } = describe(seen, host, where);
    return [fails('app port', detail, nextStep), ...inFile];
  }
  const which = `the certificate at ${where}`;
  const shown = judgeCertificate(factsOf(seen.certificate), { domain, hosts, which }, nowMs);
  const listens = holds('app port', `${where} answers for ${host}`);
  if (shown.state === 'holds' && seen.untrusted !== undefined) {
    const next = 'browsers trust public CAs alone: give them the CA, or the supervisor another certificate';
    return [listens, fails('certificate', `${which} is not trusted here (${seen.untrusted})`, next), ...inFile];
  }
  return [listens, shown, ...inFile];
}

function certificateInFile(path: string, { domain, hosts, nowMs }: AppsChecked): Finding {
  try {
    const certificate = new X509Certificate(readFileSync(path));
    const facts = {
      names: dnsNames(certificate.subjectAltName),
      validFromMs: certificate.validFromDate.getTime(),
      validToMs: certificate.validToDate.getTime(),
    };
    return judgeCertificate(facts, { domain, hosts, which: `the certificate in ${path}` }, nowMs);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return fails(
      'certificate',
      `no certificate can be read from ${path} (${code ?? message})`,
      'give a PEM file with --cert-file',
    );
  }
}

const factsOf = (certificate: PeerCertificate): CertificateFacts => ({
  names: dnsNames(certificate.subjectaltname),
  validFromMs: Date.parse(certificate.valid_from),
  validToMs: Date.parse(certificate.valid_to),
});

const dnsNames = (subjectAltName = ''): readonly string[] =>
  subjectAltName
    .split(', ')
    .filter((name) => name.startsWith('DNS:'))
    .map((name) => name.slice('DNS:'.length).toLowerCase());

/** "host:port", "[v6]:port"; a port alone is missing. */
export function readAppAddress(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, v6, name, port] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = v6 ?? name;
  if (host === undefined || (v6 !== undefined && isIP(v6) !== 6) || Number(port) < 1 || Number(port) > 65_535) return undefined;
  return { host, port: Number(port) };
}
