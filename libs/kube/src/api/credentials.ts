import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { err, ok, type Result } from '@sallyport/model';
import type { Cancel, Clock } from '@sallyport/process';
import type { Access, Given } from './access.ts';

/** What proves us, and what we trust, as last read. */
export interface Held {
  readonly token: string | undefined;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

export interface Credentials {
  current(): Held;
  /** Reads the files now: a token that was refused may have been replaced. What cannot be read leaves the old. */
  reload(): Promise<void>;
  /** Why what is in the files is not in use. */
  problem(): string | undefined;
  close(): void;
}

/** Kubernetes replaces projected tokens at four fifths of their life, and never sooner than minutes. */
const RELOAD_EACH_MS = 60_000;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/;
const FILE_BYTES_MAX = 1_024 * 1_024;

export async function openCredentials(
  access: Access,
  { clock, onProblem }: { readonly clock: Clock; readonly onProblem: (problem: string) => void },
): Promise<Result<Credentials, string>> {
  const first = await readAll(access);
  if (!first.ok) return first;
  let held = first.value;
  let problem: string | undefined;

  async function reload(): Promise<void> {
    const next = await readAll(access);
    if (next.ok) held = next.value;
    else if (next.error !== problem) onProblem(next.error);
    problem = next.ok ? undefined : next.error;
  }
  const cancel: Cancel = clock.every(RELOAD_EACH_MS, () => void reload());

  return ok({ current: () => held, reload, problem: () => problem, close: cancel });
}

async function readAll({ token, ca, client }: Access): Promise<Result<Held, string>> {
  const read = await Promise.all([readOne(token), readOne(ca), readOne(client?.cert), readOne(client?.key)]);
  const problem = read.find((each) => !each.ok);
  if (problem !== undefined && !problem.ok) return problem;
  const [tokenText, caText, cert, key] = read.map((each) => (each.ok ? each.value : undefined));
  const bearer = tokenText?.trim();
  if (bearer !== undefined && !/^[\x21-\x7e]+$/.test(bearer)) return err('the token is empty or is no token');
  try {
    // A half-written pair or a truncated CA must not replace one that works.
    createSecureContext({ cert, key });
    // OpenSSL takes a CA that is none for an empty one.
    for (const pem of caText?.match(new RegExp(CERTIFICATE, 'g')) ?? []) new X509Certificate(pem);
    if (caText !== undefined && !CERTIFICATE.test(caText)) return err('the CA holds no certificate');
  } catch (error) {
    return err(`the certificates cannot be used: ${(error as Error).message}`);
  }
  return ok({ token: bearer, ca: caText, cert, key });
}

async function readOne(given: Given | undefined): Promise<Result<string | undefined, string>> {
  if (given === undefined) return ok(undefined);
  if (given.kind === 'inline') return ok(given.value);
  try {
    const text = await readFile(given.path, 'utf8');
    return text.length > FILE_BYTES_MAX ? err(`${given.path} is too large`) : ok(text);
  } catch (error) {
    return err(`${given.path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
}
