import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { CannotStart } from '@sallyport/process';

/** The etcd to start: what was named, or the one on the PATH. One line with the mend when there is none. */
export function findEtcd(named: string | undefined, path: string | undefined): string {
  if (named !== undefined) {
    if (spawnSync(named, ['--version']).status !== 0)
      throw new CannotStart(
        `--etcd-binary: ${named} is no etcd that runs; name one, or leave it out to take the one on the PATH`,
      );
    return named;
  }
  const found = (path ?? '')
    .split(delimiter)
    .map((directory) => join(directory, 'etcd'))
    .find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new CannotStart(
    '--processes needs an etcd: apt-get install etcd-server, name one with --etcd-binary, or use yours with --store=etcd://host:2379',
  );
}

export async function openEtcd(
  _named: string | undefined,
  _directory: string,
  _path: string | undefined,
): Promise<{ readonly endpoints: readonly string[]; parts(): readonly never[]; stop(): Promise<void> }> {
  throw new CannotStart('not yet');
}
