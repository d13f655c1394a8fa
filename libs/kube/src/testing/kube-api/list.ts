import type { ObjectStore } from './object-store.ts';
import { type ApiObject, apiVersionOf, type Target } from './resources.ts';
import { selectorOf } from './selectors.ts';
import { EXPIRED_CONTINUE, isStatus, type Status, status } from './status.ts';

/** Lists, whole or in pages of one snapshot. */
export interface Lists {
  list(target: Target, query: URLSearchParams): object;
  /** Every list that is half told can be told no further. */
  expire(): void;
}

interface Cursor {
  readonly version: number;
  readonly from: number;
}

export function createLists(store: ObjectStore): Lists {
  const snapshots = new Map<string, readonly ApiObject[]>();

  function list({ resource, namespace }: Target, query: URLSearchParams): object | Status {
    const matches = selectorOf(query);
    if (isStatus(matches)) return matches;
    const limit = Number(query.get('limit') ?? 0);
    const wanted = query.get('resourceVersion') ?? '';
    const continued = query.get('continue') ?? '';
    const problem = versionProblem(store, query);
    if (problem !== undefined) return problem;
    const key = (version: number): string => `${resource.plural} ${namespace ?? ''} ${version}`;
    let cursor: Cursor = { version: store.version, from: 0 };
    if (continued !== '') {
      if (wanted !== '' && wanted !== '0')
        return status(400, 'BadRequest', 'specifying resource version is not allowed when using continue');
      const read = readCursor(continued);
      if (read === undefined) return status(400, 'BadRequest', 'continue key is not valid');
      if (!snapshots.has(key(read.version))) return EXPIRED_CONTINUE;
      cursor = read;
    }
    const all = snapshots.get(key(cursor.version)) ?? store.list(resource.plural, namespace).filter(matches);
    const until = limit > 0 ? cursor.from + limit : all.length;
    const isLast = until >= all.length;
    if (!isLast) snapshots.set(key(cursor.version), all);
    return {
      kind: `${resource.kind}List`,
      apiVersion: apiVersionOf(resource),
      metadata: {
        resourceVersion: String(cursor.version),
        ...(isLast
          ? {}
          : { continue: writeCursor({ version: cursor.version, from: until }), remainingItemCount: all.length - until }),
      },
      items: all.slice(cursor.from, until),
    };
  }

  return { list, expire: () => snapshots.clear() };
}

/** What the API says about the versions that a list may ask for. */
export function versionProblem(store: ObjectStore, query: URLSearchParams): Status | undefined {
  const wanted = query.get('resourceVersion') ?? '';
  const match = query.get('resourceVersionMatch') ?? '';
  if (wanted !== '' && !/^\d+$/.test(wanted)) return status(400, 'BadRequest', `invalid resource version: ${wanted}`);
  if (match !== '' && wanted === '')
    return status(400, 'BadRequest', 'resourceVersionMatch is forbidden unless resourceVersion is provided');
  if (match !== '' && match !== 'Exact' && match !== 'NotOlderThan')
    return status(400, 'BadRequest', `resourceVersionMatch: unsupported value: ${match}`);
  if (match === 'Exact' && Number(wanted) < store.oldest)
    return status(410, 'Expired', `The resourceVersion for the provided list is too old.`);
  if (Number(wanted) > store.version)
    return status(504, 'Timeout', `Too large resource version: ${wanted}, current: ${store.version}`, 1);
  return undefined;
}

const writeCursor = (cursor: Cursor): string => Buffer.from(JSON.stringify(cursor)).toString('base64url');

function readCursor(text: string): Cursor | undefined {
  try {
    const { version, from } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Partial<Cursor>;
    return typeof version === 'number' && typeof from === 'number' ? { version, from } : undefined;
  } catch {
    return undefined;
  }
}
