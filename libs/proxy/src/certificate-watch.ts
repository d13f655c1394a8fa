import { type FSWatcher, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { err, type Host, later, ok, type Result } from '@sallyport/model';
import { type Certificate, chooseCertificate, readCertificate } from './certificates.ts';
import type { Clock } from './clock.ts';

/** The certificates of the listener as they are now: files are read again whenever they change. */
export interface Certificates {
  for(host: Host): Certificate | undefined;
  /** A client must show a certificate that chains to the CA file. */
  readonly clientRequired: boolean;
  /** Names and ends of what is in use, for status and metrics. */
  inUse(): readonly { readonly names: readonly string[]; readonly expiresAt: Date }[];
  stop(): void;
}

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface WatchCertificatesOptions {
  /** At least one pair; the first that fits a name is taken. */
  readonly pairs: readonly CertificateFiles[];
  /** PEM file of the CAs of a trusted ingress; with it every client must show a certificate. */
  readonly clientCaFile?: string | undefined;
  readonly clock: Clock;
  /** A changed file was refused; what was in use stays. */
  readonly onProblem: (problem: string) => void;
  readonly onSwapped: (names: readonly string[]) => void;
}

/** Files of one renewal arrive one after the other; look when they have settled. */
const SETTLE_MS = 100;
/** Some file systems report no changes, and a directory may be replaced whole: look anyway. */
const LOOK_AGAIN_MS = 30_000;

interface Held {
  /** What was last read, so that the same files do nothing. */
  readonly text: string;
  readonly certificate: Certificate;
}

/**
 * Reads the pairs, which must be good, and then watches their *directories*: Kubernetes changes a mounted Secret by
 * swapping a `..data` link beside the files, which a watch on the file itself never sees. Each pair is replaced whole or
 * not at all: while a new key lies beside an old certificate, the old pair stays in use.
 */
export async function watchCertificates(options: WatchCertificatesOptions): Promise<Result<Certificates, string>> {
  const { pairs, clientCaFile, clock, onProblem, onSwapped } = options;
  const held: Held[] = [];
  const reported = new Map<number, string>();
  const watchers: FSWatcher[] = [];
  let cancel = (): void => {};
  let reading = false;
  let stopped = false;

  async function read(files: CertificateFiles): Promise<Result<Held, string>> {
    const [key, cert, clientCa] = await Promise.all([
      readBytes(files.keyFile),
      readBytes(files.certFile),
      clientCaFile === undefined ? ok(undefined) : readBytes(clientCaFile),
    ]);
    if (!cert.ok) return cert;
    if (!key.ok) return key;
    if (!clientCa.ok) return clientCa;
    const certificate = readCertificate({ cert: cert.value, key: key.value, clientCa: clientCa.value });
    const paths = [files.certFile, files.keyFile, ...(clientCaFile === undefined ? [] : [clientCaFile])].join(', ');
    if (!certificate.ok) return err(`${paths}: ${certificate.error}`);
    return ok({ text: [key.value, cert.value, clientCa.value ?? ''].join('\n'), certificate: certificate.value });
  }

  async function look(): Promise<void> {
    if (reading || stopped) return schedule(SETTLE_MS);
    reading = true;
    for (const [index, files] of pairs.entries()) {
      const next = await read(files);
      if (!next.ok) {
        // Once for each fault: it is looked at again and again.
        if (reported.get(index) !== next.error) onProblem(next.error);
        reported.set(index, next.error);
        continue;
      }
      reported.delete(index);
      if (next.value.text === held[index]?.text) continue;
      held[index] = next.value;
      inUse = held.map(({ certificate }) => certificate);
      onSwapped(next.value.certificate.names);
    }
    reading = false;
    schedule(LOOK_AGAIN_MS);
  }

  function schedule(ms: number): void {
    cancel();
    if (!stopped) cancel = clock.at(later(clock.now(), ms), () => void look());
  }

  if (pairs.length === 0) return err('no certificate is configured');
  for (const files of pairs) {
    const first = await read(files);
    if (!first.ok) return first;
    held.push(first.value);
  }
  let inUse = held.map(({ certificate }) => certificate);
  const watched = [
    ...pairs.flatMap(({ certFile, keyFile }) => [certFile, keyFile]),
    ...(clientCaFile === undefined ? [] : [clientCaFile]),
  ];
  for (const directory of new Set(watched.map((file) => dirname(file)))) {
    const watcher = watch(directory, { persistent: false }, () => schedule(SETTLE_MS));
    watcher.on('error', () => watcher.close());
    watchers.push(watcher);
  }
  schedule(LOOK_AGAIN_MS);

  return ok({
    clientRequired: clientCaFile !== undefined,
    for: (host) => chooseCertificate(inUse, host),
    inUse: () => inUse.map(({ names, expiresAt }) => ({ names, expiresAt })),
    stop() {
      stopped = true;
      cancel();
      for (const watcher of watchers) watcher.close();
    },
  });
}

async function readBytes(path: string): Promise<Result<Buffer, string>> {
  try {
    return ok(await readFile(path));
  } catch (error) {
    return err(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
  }
}
