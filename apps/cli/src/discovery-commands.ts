import { err, ok } from '@sallyport/model';
import { discoveryV1, openServerStream } from '@sallyport/wire';
import type { Command } from './command.ts';
import { readWorkspaces } from './names.ts';
import { formatJson, formatTable } from './table.ts';
import { failed } from './trouble.ts';
import { endpointText, recordView, refOf } from './views.ts';

/** A snapshot of a large installation comes in many parts; milliseconds. */
const SNAPSHOT_MS = 60_000;
const WORKSPACES_MAX = 64;

export const snapshotCommand: Command = {
  words: ['discovery', 'snapshot'],
  summary: 'Lists what ingresses see now: each host, who serves it, and for how long that is certain.',
  argumentsForm: '[WORKSPACE …]',
  argumentsMin: 0,
  argumentsMax: WORKSPACES_MAX,
  options: [],
  examples: ['sallyport discovery snapshot', 'sallyport discovery snapshot team -o json'],
  async run(input) {
    const workspaces = readWorkspaces(input.args);
    if (!workspaces.ok) return workspaces;
    const opened = await input.connections.open('discovery');
    if (!opened.ok) return opened;
    const { link, bearer, explain } = opened.value;
    const options = { deadlineMs: SNAPSHOT_MS, bearer, signal: input.signal };
    const stream = openServerStream(
      link,
      discoveryV1.DiscoveryServiceService.getSnapshot,
      { workspaces: [...workspaces.value] },
      options,
    );
    const found = new Map<string, ReturnType<typeof recordView>>();
    let token = '';
    for await (const { part } of stream.received) {
      // What a later part says of a record counts: it may have changed meanwhile.
      for (const record of part?.records ?? []) found.set(record.recordId, recordView(record));
      for (const recordId of part?.removed ?? []) found.delete(recordId);
      token = part?.token ?? '';
    }
    const records = [...found.values()];
    const failure = await stream.closed;
    if (failure !== undefined) return err(await explain(failure, 'take a snapshot'));
    // A part of a world must not be taken for the whole.
    if (token === '') return err(failed('cannot take a snapshot: the last part is missing; try again'));
    if (input.json) input.print(formatJson({ token, records }));
    else if (records.length === 0) input.progress('nothing is published');
    else {
      const rows = records.map((record) => [
        record.host,
        record.endpoint === null ? '' : endpointText(record.endpoint),
        `${(record.ttlMs / 1_000).toFixed(1)} s`,
        refOf(record),
      ]);
      input.print(formatTable(['HOST', 'ENDPOINT', 'CERTAIN FOR', 'SERVICE'], rows));
    }
    return ok(undefined);
  },
};
