import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export const SECRET_MODE = 0o600;
export const PUBLIC_MODE = 0o644;

/** For this user alone: it holds keys. */
export async function makeDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}

/** Undefined when there is no such file. Tightens the mode of a secret that somebody left open. */
export async function readSecret(path: string): Promise<string | undefined> {
  const text = await readIfThere(path);
  if (text !== undefined) await chmod(path, SECRET_MODE);
  return text;
}

export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whole or not at all, with exactly this mode from the first byte on. */
export const replaceFile = (path: string, text: string, mode: number): Promise<void> =>
  withTemporary(path, text, mode, (temporary) => rename(temporary, path));

/** The same, unless the file is there already: false then. Of two processes that make it at once, one does. */
export async function createFile(path: string, text: string, mode: number): Promise<boolean> {
  try {
    await withTemporary(path, text, mode, async (temporary) => {
      await link(temporary, path);
      await unlink(temporary);
    });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function withTemporary(
  path: string,
  text: string,
  mode: number,
  place: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = join(dirname(path), `.${randomBytes(8).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx', SECRET_MODE);
    try {
      await file.chmod(mode);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await place(temporary);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}
