import { readFileSync, statSync } from 'node:fs';
import { err, ok, type Result } from '@sallyport/model';
import { CREDENTIAL_LENGTH_MAX, isCredential } from '@sallyport/wire';

/** The token that proves this supervisor, as it is now; read again for each use. */
export type Credential = () => string;

/** A token is a few KiB; more than this is the wrong file. */
const BYTES_MAX = 65_536;

/**
 * The kubelet replaces a service account's token well before it runs out, so one that was read at the start would be refused at the first
 * reconnection an hour later. A file that cannot be read for a moment leaves the last token in use. The error goes on after the
 * option's name.
 */
export function openCredential(path: string): Result<Credential, string> {
  const first = read(path);
  if (!first.ok) return first;
  let token = first.value;
  return ok(() => {
    const now = read(path);
    if (now.ok) token = now.value;
    return token;
  });
}

function read(path: string): Result<string, string> {
  const shown = JSON.stringify(path.slice(0, 200));
  try {
    if (statSync(path).size > BYTES_MAX) return err(`${shown} has more than ${BYTES_MAX} bytes: is it the right file?`);
    const token = readFileSync(path, 'utf8').trim();
    if (token === '') return err(`${shown} is empty: put the secret into it`);
    // No gateway would ever take it, and the reason would only be in its log.
    if (!isCredential(token))
      return err(
        `${shown} holds no token: one has no blanks or line breaks inside, and at most ${CREDENTIAL_LENGTH_MAX} characters`,
      );
    return ok(token);
  } catch (error) {
    return err(`${shown} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
}
