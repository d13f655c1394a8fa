import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomId } from './random.ts';

/**
 * Replaces the file in one step: a reader sees the old contents or the new, whole. The mode is exact whatever the umask
 * and is set before the first byte is written, so that a secret is never readable by others, not even for a moment.
 * Throws Node's file errors; leaves nothing behind then.
 */
export async function writeFileAtomic(path: string, data: string | Uint8Array, mode: number): Promise<void> {
  const directory = dirname(path);
  // In the same directory, since a rename is atomic only within one file system.
  const temporary = join(directory, `.${randomId()}.tmp`);
  const file = await open(temporary, 'wx', 0o600);
  try {
    await writeWhole(file, data, mode);
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
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
