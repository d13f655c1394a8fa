import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { dumpStore } from '../../authority/rig/evidence.ts';
import type { Evidence } from './evidence.ts';
import type { Installation } from './installation.ts';

const REPORTS = resolve(import.meta.dirname, '../../../../../reports/failures');

/** Logs, records and everything that was seen, in one folder. */
export async function keep(
  { folder, etcd }: Pick<Installation, 'folder' | 'etcd'>,
  evidence: Evidence,
  violations: readonly string[],
  seed: number,
): Promise<string> {
  const kept = join(REPORTS, `chaos-${seed}-${Date.now()}`);
  await mkdir(kept, { recursive: true });
  await cp(folder, kept, { recursive: true, filter: (file) => !/\/pki(\/|$)|\.token$/.test(file) });
  const text = (value: unknown): string =>
    JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? String(each) : each));
  for (const [name, rows] of Object.entries(evidence))
    await writeFile(join(kept, `${name}.jsonl`), (rows as readonly unknown[]).map((row) => `${text(row)}\n`).join(''));
  await writeFile(join(kept, 'store.json'), text(await dumpStore(etcd.endpoints)));
  await writeFile(join(kept, 'violations.txt'), `${violations.join('\n')}\n`);
  return kept;
}
