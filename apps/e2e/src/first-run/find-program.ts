import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** As a shell looks for it; undefined if there is none. */
export async function findProgram(name: string): Promise<string | undefined> {
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    const file = join(directory, name);
    const found = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return file;
  }
  return undefined;
}
