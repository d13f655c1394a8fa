import { readFile } from 'node:fs/promises';
import { err, ok, type Result } from '@sallyport/model';

/** A header takes visible ASCII only; anything else in the file is a wrong file. */
const TOKEN = /^[\x21-\x7e]{1,8192}$/;

/** The token as the file has it now: files of short-lived tokens are written anew. */
export async function readCredential(path: string): Promise<Result<string, string>> {
  try {
    const text = (await readFile(path, 'utf8')).trim();
    return TOKEN.test(text) ? ok(text) : err(`${path} holds no token`);
  } catch (error) {
    return err(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
}
