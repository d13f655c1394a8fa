import { chmod, mkdir, readFile } from 'node:fs/promises';

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
