import { err, ok } from '@sallyport/model';
import { call, gatewayV1 } from '@sallyport/wire';
import type { Command } from './command.ts';
import { formatJson } from './table.ts';

const { beginGeneration } = gatewayV1.GatewayServiceService;
/** Every sandbox is written. */
const DEADLINE_MS = 120_000;

export const beginGenerationCommand: Command = {
  words: ['store', 'begin-generation'],
  summary: 'After the store was restored from a backup: nothing that was issued before counts any more.',
  argumentsForm: '',
  argumentsMin: 0,
  argumentsMax: 0,
  options: [],
  examples: ['sallyport store begin-generation'],
  about: [
    'A backup takes the store back in time: credentials that were revoked since would count again, and supervisors would refuse',
    'configurations older than the ones they hold. This ends all sessions and sandbox tokens; supervisors that prove themselves',
    'to the driver come back by themselves, those with a token of their sandbox need a new one:',
    'sallyport sandbox register WORKSPACE/SANDBOX --dedicated --save-token FILE',
  ].join('\n'),
  async run(input) {
    const opened = await input.connections.open('gateway');
    if (!opened.ok) return opened;
    const { link, bearer, explain } = opened.value;
    const begun = await call(link, beginGeneration, {}, { deadlineMs: DEADLINE_MS, bearer, signal: input.signal });
    if (!begun.ok) return err(await explain(begun.error, 'begin a generation'));
    const { generation, sandboxCount } = begun.value;
    if (input.json) input.print(formatJson({ generation, sandboxCount }));
    else input.progress(`generation ${generation} has begun; ${sandboxCount} sandboxes were raised past what was issued before`);
    return ok(undefined);
  },
};
