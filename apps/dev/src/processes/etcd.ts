import { spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { CannotStart } from '@sallyport/process';
import { findEtcd, freePorts, INSTALL_ETCD, startEtcd } from '@sallyport/store/etcd-process';
import type { Part } from '../stack.ts';

/** An etcd of the stack's own: one member, whose data go when the stack ends. */
export interface OwnEtcd {
  readonly endpoints: readonly string[];
  parts(): readonly Part[];
  stop(): Promise<void>;
}

/** Starts the etcd that was named, or the one on the PATH. Throws one line with the mend when there is none. */
export async function openEtcd(named: string | undefined, directory: string, path: string | undefined): Promise<OwnEtcd> {
  const binary = findEtcd(named, path);
  if (binary === undefined) {
    throw new CannotStart(
      `--processes needs an etcd: ${INSTALL_ETCD}, name one with --etcd-binary, or use yours with --store=etcd://host:2379`,
    );
  }
  if (spawnSync(binary, ['--version']).status !== 0)
    throw new CannotStart(`${binary} is no etcd that runs; name another with --etcd-binary`);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const [clientPort = 0, peerPort = 0, healthPort = 0] = await freePorts(3);
  // A laptop's disk is slow and this data is nobody's: what a crash of the machine would lose does not matter.
  const member = startEtcd({ binary, name: 'etcd-1', directory, clientPort, peerPort, healthPort, fsync: false });
  try {
    await member.ready();
  } catch (error) {
    await member.kill();
    throw new CannotStart(`${binary} did not start: ${(error as Error).message}`);
  }
  return {
    endpoints: [member.endpoint],
    parts: () => [
      { name: 'etcd-1', app: 'etcd', pid: member.pid, address: { host: '127.0.0.1', port: clientPort }, adminPort: healthPort },
    ],
    stop: () => member.kill(),
  };
}
