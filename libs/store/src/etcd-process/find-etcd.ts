import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** For people who have none, on Debian. */
export const INSTALL_ETCD = 'apt-get install -y etcd-server';

/** The path of the etcd program: `given` if there is one, else the first on `path` (the environment's PATH). */
export function findEtcd(given: string | undefined, path: string | undefined): string | undefined {
  const candidates = given === undefined ? (path ?? '').split(delimiter).map((directory) => join(directory, 'etcd')) : [given];
  return candidates.find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
