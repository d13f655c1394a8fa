import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { experimental } from '@grpc/grpc-js';
import { err, ok, type Result } from '@sallyport/model';

/** Paths of PEM files: the CA that both sides trust, and this process's own certificate chain and key. */
export interface TlsFiles {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** How often the files are looked at; milliseconds. */
export const TLS_REFRESH_MS = 5_000;
/** A chain with its CAs is a few KiB; more than this is the wrong file. Bytes. */
const PEM_BYTES_MAX = 1_048_576;

interface Pems {
  readonly ca: Buffer;
  readonly identity: { readonly certificate: Buffer; readonly privateKey: Buffer } | undefined;
}

/**
 * Contents of the files, re-read as they change. A set that does not fit together (a swap seen halfway, a broken file) is
 * refused and the old one stays: grpc-js's own file watcher would drop every new connection instead.
 */
export interface TlsSource extends experimental.CertificateProvider {
  /** Why the files as they are now are not used; undefined when they are. */
  problem(): string | undefined;
  close(): void;
}

export interface TlsSourceOptions {
  readonly refreshMs?: number;
  /** Told once for each change of the files: `undefined` when they are in use, else why the old ones stay. */
  readonly onChange?: (problem: string | undefined) => void;
}

/** Without certificate and key: for a client that proves itself by a token. Fails with one sentence for people. */
export async function openTlsFiles(
  files: TlsFiles | Pick<TlsFiles, 'caFile'>,
  { refreshMs = TLS_REFRESH_MS, onChange }: TlsSourceOptions = {},
): Promise<Result<TlsSource, string>> {
  const first = await readPems(files);
  if (!first.ok) return first;
  let pems = first.value;
  let seen: string | undefined;
  let reading = false;
  const caListeners = new Set<experimental.CaCertificateUpdateListener>();
  const identityListeners = new Set<experimental.IdentityCertificateUpdateListener>();

  const tellCa = (listener: experimental.CaCertificateUpdateListener): void => listener({ caCertificate: pems.ca });
  const tellIdentity = (listener: experimental.IdentityCertificateUpdateListener): void => listener(pems.identity ?? null);

  async function refresh(): Promise<void> {
    if (reading) return;
    reading = true;
    const next = await readPems(files).finally(() => {
      reading = false;
    });
    const problem = next.ok ? undefined : next.error;
    if (next.ok && !same(next.value, pems)) {
      pems = next.value;
      for (const listener of identityListeners) tellIdentity(listener);
      for (const listener of caListeners) tellCa(listener);
      onChange?.(undefined);
    } else if (problem !== seen) onChange?.(problem);
    seen = problem;
  }

  const timer = setInterval(() => void refresh(), refreshMs).unref();
  return ok({
    problem: () => seen,
    close: () => clearInterval(timer),
    // The listener must not be called inside this call: grpc-js has not finished its own registration then.
    addCaCertificateListener(listener) {
      caListeners.add(listener);
      process.nextTick(tellCa, listener);
    },
    removeCaCertificateListener: (listener) => void caListeners.delete(listener),
    addIdentityCertificateListener(listener) {
      identityListeners.add(listener);
      process.nextTick(tellIdentity, listener);
    },
    removeIdentityCertificateListener: (listener) => void identityListeners.delete(listener),
  });
}

const same = (a: Pems, b: Pems): boolean =>
  a.ca.equals(b.ca) &&
  (a.identity === undefined || b.identity === undefined
    ? a.identity === b.identity
    : a.identity.certificate.equals(b.identity.certificate) && a.identity.privateKey.equals(b.identity.privateKey));

async function readPems(files: TlsFiles | Pick<TlsFiles, 'caFile'>): Promise<Result<Pems, string>> {
  const ca = await readPem(files.caFile);
  if (!ca.ok) return ca;
  if (!('certFile' in files)) return judge({ ca: ca.value, identity: undefined }, files.caFile);
  const certificate = await readPem(files.certFile);
  if (!certificate.ok) return certificate;
  const privateKey = await readPem(files.keyFile);
  if (!privateKey.ok) return privateKey;
  return judge(
    { ca: ca.value, identity: { certificate: certificate.value, privateKey: privateKey.value } },
    `${files.certFile} and ${files.keyFile}`,
  );
}

async function readPem(path: string): Promise<Result<Buffer, string>> {
  try {
    const bytes = await readFile(path);
    if (bytes.length > PEM_BYTES_MAX) return err(`${path} has ${bytes.length} bytes: is it the right file?`);
    return bytes.includes('-----BEGIN ') ? ok(bytes) : err(`${path} is not a PEM file`);
  } catch (error) {
    return err(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
}

/** Fit together: the CA holds certificates, the key is the certificate's, and OpenSSL takes the set. */
function judge(pems: Pems, paths: string): Result<Pems, string> {
  try {
    new X509Certificate(pems.ca);
    const { identity } = pems;
    if (
      identity !== undefined &&
      !new X509Certificate(identity.certificate).checkPrivateKey(createPrivateKey(identity.privateKey))
    ) {
      return err(`${paths} do not belong together: the key is another certificate's`);
    }
    createSecureContext({ ca: pems.ca, ...(identity && { cert: identity.certificate, key: identity.privateKey }) });
    return ok(pems);
  } catch (error) {
    return err(`${paths} cannot be used: ${(error as Error).message}`);
  }
}
