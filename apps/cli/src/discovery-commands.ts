import { err, ok } from '@sallyport/model';
import type { Command } from './command.ts';
import { readWorkspaces } from './names.ts';
import { formatJson, formatTable } from './table.ts';
import { takeSnapshot } from './take-snapshot.ts';
import { endpointText, refOf } from './views.ts';

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
    const taken = await takeSnapshot(opened.value, {
      workspaces: workspaces.value,
      deadlineMs: SNAPSHOT_MS,
      signal: input.signal,
    });
    if (!taken.ok) return err(await opened.value.explain(taken.error, 'take a snapshot'));
    const { token, records } = taken.value;
    if (input.json) input.print(formatJson({ token, records }));
    else if (records.length === 0)
      input.progress(
        workspaces.value.length === 0
          ? 'nothing is published'
          : `nothing of ${workspaces.value.join(', ')} is published, or you may not see it`,
      );
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
