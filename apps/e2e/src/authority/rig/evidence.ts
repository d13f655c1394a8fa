import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Installation } from './installation.ts';

const ROOT = resolve(import.meta.dirname, '../../../../..');

/** Everything that tells why a case failed, in one folder: logs, the ready file, the store and what was seen from outside. */
export async function keepEvidence(
  name: string,
  installation: Installation,
  seen: Readonly<Record<string, readonly unknown[]>>,
  error: unknown,
): Promise<string> {
  const folder = join(ROOT, 'reports', 'failures', `${name}-${Date.now()}`);
  await mkdir(folder, { recursive: true });
  await cp(installation.folder, folder, { recursive: true, filter: (file) => !/\/pki(\/|$)|\.token$/.test(file) });
  const processes = installation.processes().map((each) => ({
    name: each.name,
    app: each.app,
    pid: each.pid(),
    alive: each.alive(),
    adminPort: each.adminPort(),
  }));
  await writeFile(join(folder, 'ready.json'), JSON.stringify({ processes, etcd: installation.etcd.endpoints }, null, 2));
  await writeFile(join(folder, 'store.json'), JSON.stringify(await dumpStore(installation.etcd.endpoints), null, 1));
  for (const [file, rows] of Object.entries(seen))
    await writeFile(join(folder, `${file}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  await writeFile(join(folder, 'error.txt'), error instanceof Error ? (error.stack ?? error.message) : String(error));
  return folder;
}

interface StoredEntry {
  readonly key: string;
  readonly createRevision: string;
  readonly modRevision: string;
  /** Protobuf of proto/sallyport/store/v1, base64. */
  readonly value: string;
}

/** All records as etcd has them, through its JSON gateway; by whichever member answers. */
export async function dumpStore(endpoints: readonly string[]): Promise<readonly StoredEntry[] | string> {
  const body = JSON.stringify({ key: base64('/sallyport/'), range_end: base64('/sallyport0') });
  for (const endpoint of endpoints) {
    try {
      const answer = await fetch(`http://${endpoint}/v3/kv/range`, { method: 'POST', body, signal: AbortSignal.timeout(3_000) });
      const { kvs = [] } = (await answer.json()) as { kvs?: Record<string, string>[] };
      return kvs.map((kv) => ({
        key: Buffer.from(kv.key ?? '', 'base64').toString(),
        createRevision: kv.create_revision ?? '',
        modRevision: kv.mod_revision ?? '',
        value: kv.value ?? '',
      }));
    } catch {}
  }
  return 'no etcd answers';
}

/** The store's revision: the number of transactions that changed something. */
export async function storeRevision(endpoint: string): Promise<number> {
  const answer = await fetch(`http://${endpoint}/v3/kv/range`, { method: 'POST', body: JSON.stringify({ key: base64('none') }) });
  const { header } = (await answer.json()) as { header: { revision: string } };
  return Number(header.revision);
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
