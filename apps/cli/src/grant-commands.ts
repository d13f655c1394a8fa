import { err, ok } from '@sallyport/model';
import { call, gatewayV1 } from '@sallyport/wire';
import type { Command } from './command.ts';
import { readWorkspaces } from './names.ts';
import { DEADLINE_MS } from './service-commands.ts';
import { formatJson, formatTable } from './table.ts';

const { setGrant, listGrants } = gatewayV1.GatewayServiceService;
/** A principal, and as many workspaces as a command line holds. */
const ARGUMENTS_MAX = 1_001;

const grantView = (grant: gatewayV1.Grant) => ({
  principal: grant.principal,
  workspaces: grant.workspaces,
  grantEpoch: grant.grantEpoch,
});

export const setCommand: Command = {
  words: ['grant', 'set'],
  summary: 'Says which workspaces a reader of discovery may see; it counts on open streams within a second.',
  argumentsForm: 'PRINCIPAL [WORKSPACE …]',
  argumentsMin: 1,
  argumentsMax: ARGUMENTS_MAX,
  options: [],
  examples: ['sallyport grant set edge-1 team other', 'sallyport grant set edge-1'],
  about: 'It replaces what was granted before; without workspaces it is taken back. The principal is the subject of a token.',
  async run(input) {
    const [principal = '', ...names] = input.args;
    const read = readWorkspaces(names);
    if (!read.ok) return read;
    const workspaces = [...read.value];
    const opened = await input.connections.open('gateway');
    if (!opened.ok) return opened;
    const { link, bearer, explain } = opened.value;
    const options = { deadlineMs: DEADLINE_MS, bearer, signal: input.signal };
    const set = await call(link, setGrant, { principal, workspaces }, options);
    if (!set.ok) return err(await explain(set.error, `grant anything to ${principal}`));
    const grant = grantView(set.value.grant ?? { principal, workspaces, grantEpoch: 0n });
    if (input.json) input.print(formatJson(grant));
    else input.progress(`${principal} may see ${grant.workspaces.join(', ') || 'nothing'}`);
    return ok(undefined);
  },
};

export const listCommand: Command = {
  words: ['grant', 'list'],
  summary: 'Lists which reader of discovery may see what.',
  argumentsForm: '',
  argumentsMin: 0,
  argumentsMax: 0,
  options: [],
  examples: ['sallyport grant list', 'sallyport grant list -o json'],
  async run(input) {
    const opened = await input.connections.open('gateway');
    if (!opened.ok) return opened;
    const { link, bearer, explain } = opened.value;
    const listed = await call(link, listGrants, {}, { deadlineMs: DEADLINE_MS, bearer, signal: input.signal });
    if (!listed.ok) return err(await explain(listed.error, 'list grants'));
    const grants = listed.value.grants.map(grantView);
    if (input.json) input.print(formatJson(grants));
    else if (grants.length === 0) input.progress('no grants; give one with: sallyport grant set PRINCIPAL WORKSPACE …');
    else
      input.print(
        formatTable(
          ['PRINCIPAL', 'MAY SEE'],
          grants.map((grant) => [grant.principal, grant.workspaces.join(', ')]),
        ),
      );
    return ok(undefined);
  },
};
