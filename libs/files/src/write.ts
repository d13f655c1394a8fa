import { randomBytes } from 'node:crypto';
import { type FileHandle, link, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { begin, settle } from './unfinished.ts';

/**
 * Replaces the file in one step: a reader sees the old contents or the new, whole. The mode is exact whatever the umask
 * and is set before the first byte is written, so that a secret is never readable by others, not even for a moment.
 * Throws Node's file errors; leaves nothing behind then, nor when the process ends meanwhile.
 */
export const writeFileAtomic = (path: string, data: string | Uint8Array, mode: number): Promise<void> =>
  place(path, data, mode, (temporary) => rename(temporary, path));

/** The same, unless the file is there already: false then. Of two processes that make it at once, one does. */
export async function createFileAtomic(path: string, data: string | Uint8Array, mode: number): Promise<boolean> {
  try {
    await place(path, data, mode, async (temporary) => {
      await link(temporary, path);
      await unlink(temporary);
    });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function place(
  path: string,
  data: string | Uint8Array,
  mode: number,
  move: (temporary: string) => Promise<void>,
): Promise<void> {
  const directory = dirname(path);
  // In the same directory, since a rename is atomic only within one file system.
  const temporary = join(directory, `.${randomBytes(16).toString('hex')}.tmp`);
  begin(temporary);
  try {
    await writeWhole(await open(temporary, 'r+'), data, mode);
    await move(temporary);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  } finally {
    settle(temporary);
  }
  await syncDirectory(directory);
}

async function writeWhole(file: FileHandle, data: string | Uint8Array, mode: number): Promise<void> {
  try {
    await file.chmod(mode);
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the rename itself survive a crash of the machine. Some file systems cannot; the file is whole there too. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync().catch(() => undefined);
  } finally {
    await directory.close();
  }
}
