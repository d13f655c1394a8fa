import { err, type Failure, failure, ok, type Result } from '@sallyport/model';
import { discoveryV1, openServerStream } from '@sallyport/wire';
import type { Connection } from './connections.ts';
import { recordView } from './views.ts';

export interface Snapshot {
  readonly token: string;
  readonly records: readonly ReturnType<typeof recordView>[];
}

export interface SnapshotOptions {
  /** None: all that the caller may see. */
  readonly workspaces: readonly string[];
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** Everything that discovery shows now, put together from its parts. */
export async function takeSnapshot(
  { link, bearer }: Pick<Connection, 'link' | 'bearer'>,
  { workspaces, deadlineMs, signal }: SnapshotOptions,
): Promise<Result<Snapshot, Failure>> {
  const method = discoveryV1.DiscoveryServiceService.getSnapshot;
  const stream = openServerStream(link, method, { workspaces: [...workspaces] }, { deadlineMs, bearer, signal });
  const found = new Map<string, ReturnType<typeof recordView>>();
  let token = '';
  for await (const { part } of stream.received) {
    // What a later part says of a record counts: it may have changed meanwhile.
    for (const record of part?.records ?? []) found.set(record.recordId, recordView(record));
    for (const recordId of part?.removed ?? []) found.delete(recordId);
    token = part?.token ?? '';
  }
  const refused = await stream.closed;
  if (refused !== undefined) return err(refused);
  // A part of a world must not be taken for the whole.
  return token === ''
    ? err(failure('cursor-lost', 'the last part is missing; try again'))
    : ok({ token, records: [...found.values()] });
}
