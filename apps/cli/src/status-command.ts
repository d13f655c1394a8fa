import { err, ok } from '@sallyport/model';
import { call, gatewayV1 } from '@sallyport/wire';
import type { Command } from './command.ts';
import { DEADLINE_MS } from './service-commands.ts';
import { formatFacts, formatJson, formatTable } from './table.ts';

export const statusCommand: Command = {
  words: ['status'],
  summary: 'Shows how the installation stands, as one gateway sees it.',
  argumentsForm: '',
  argumentsMin: 0,
  argumentsMax: 0,
  options: [],
  examples: ['sallyport status', 'sallyport status -o json'],
  async run(input) {
    const opened = await input.connections.open('gateway');
    if (!opened.ok) return opened;
    const { link, bearer, explain } = opened.value;
    const asked = await call(
      link,
      gatewayV1.GatewayServiceService.getStatus,
      {},
      { deadlineMs: DEADLINE_MS, bearer, signal: input.signal },
    );
    if (!asked.ok) return err(await explain(asked.error, 'ask for the status'));
    const status = asked.value;
    if (input.json) {
      input.print(formatJson(status));
      return ok(undefined);
    }
    const authority = status.hasAuthority ? 'holds authority' : 'holds NO authority: it can change nothing now';
    const facts: [string, string][] = [
      ['gateway', `${status.gatewayId} (release ${status.version}), ${authority}`],
      ['domain', status.domain],
      ['sandboxes', String(status.sandboxCount)],
      ['services', String(status.serviceCount)],
      ['sessions', `${status.sessionCount} with this gateway`],
    ];
    input.print(formatFacts(facts));
    if (status.members.length === 0) input.progress('no supervisors have joined: nothing can be served');
    else input.print(membersOf(status));
    if (status.problems.length > 0) input.print(problemsOf(status));
    return ok(undefined);
  },
};

function membersOf({ members }: gatewayV1.GetStatusResponse): string {
  const rows = members.map((member) => [
    member.poolId,
    member.memberId,
    member.draining ? 'draining' : member.ready ? 'ready' : 'not ready',
    member.appPort === 0 ? 'off' : String(member.appPort),
    String(member.ownedCount),
  ]);
  return `\n${formatTable(['POOL', 'SUPERVISOR', 'STATE', 'PORT', 'OWNS'], rows)}`;
}

function problemsOf({ problems, problemCount }: gatewayV1.GetStatusResponse): string {
  const rows = problems.map(({ workspace, sandbox, problem }) => [`${workspace}/${sandbox}`, problem]);
  const more = problemCount > problems.length ? `\n… and ${problemCount - problems.length} more` : '';
  return `\n${formatTable(['SANDBOX', 'NOT FOLLOWED, OF WHAT IT DECLARES'], rows)}${more}`;
}
