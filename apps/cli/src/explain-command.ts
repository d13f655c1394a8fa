import { err, ok, type Result } from '@sallyport/model';
import { call, discoveryV1, gatewayV1 } from '@sallyport/wire';
import type { Command, Input } from './command.ts';
import { type Dialled, dial } from './dial.ts';
import { readHost } from './names.ts';
import { DEADLINE_MS } from './service-commands.ts';
import { clean, formatJson } from './table.ts';
import { failed, type Trouble } from './trouble.ts';
import { recordView } from './views.ts';

const { ClauseState } = discoveryV1;
const { SERVICE_STATE_REJECTED } = gatewayV1.ServiceState;

interface ClauseView {
  readonly name: string;
  readonly state: 'holds' | 'fails' | 'not-reached';
  readonly detail: string;
  readonly nextStep: string;
}

export const explainCommand: Command = {
  words: ['explain'],
  summary: 'Says why a host is, or is not, published: clause by clause, and what to do.',
  argumentsForm: 'HOST',
  argumentsMin: 1,
  argumentsMax: 1,
  options: [
    { name: 'probe', meaning: 'Also dials the endpoint, with TLS and the host as server name.' },
    { name: 'for', placeholder: 'PRINCIPAL', meaning: 'Judges the grant of this reader instead of yours.' },
  ],
  examples: [
    'sallyport explain team--demo--web.apps.example.com',
    'sallyport explain https://team--demo--web.apps.example.com/ --probe',
  ],
  about: 'Ends with 0 if it is published (and, with --probe, reachable from here), else with 1.',
  async run(input) {
    const host = readHost(input.args[0] ?? '');
    if (!host.ok) return host;
    const opened = await input.connections.open('discovery');
    if (!opened.ok) return opened;
    const { link, bearer, explain, caFile } = opened.value;
    const asked = await call(
      link,
      discoveryV1.DiscoveryServiceService.explain,
      { host: host.value, principal: input.option('for') ?? '' },
      { deadlineMs: DEADLINE_MS, bearer, signal: input.signal },
    );
    if (!asked.ok) return err(await explain(asked.error, `explain ${host.value}`));
    const answer = asked.value;
    const clauses = await withGateway(input, answer, answer.clauses.map(clauseView));
    const endpoint = answer.record?.endpoint;
    const dialled =
      input.flag('probe') && endpoint !== undefined
        ? await dial({ address: endpoint.address, port: endpoint.port, host: answer.host, caFile })
        : undefined;
    const holds = clauses.every(({ state }) => state === 'holds');
    if (input.json) {
      const record = answer.record === undefined ? null : recordView(answer.record);
      input.print(formatJson({ host: answer.host, published: answer.published, clauses, record, probe: dialled ?? null }));
    } else input.print(textOf(answer, clauses, dialled, input.flag('probe')));
    return verdict(answer, clauses, holds, dialled);
  },
};

function verdict(
  { host, published }: discoveryV1.ExplainResponse,
  clauses: readonly ClauseView[],
  holds: boolean,
  dialled: Dialled | undefined,
): Result<void, Trouble> {
  const broken = clauses.find(({ state }) => state === 'fails');
  if (published && holds && dialled?.ok !== false) return ok(undefined);
  if (published && broken === undefined && dialled !== undefined)
    return err(failed(`${host} is published, but: ${dialled.detail}`));
  return err(failed(`${host} is ${published ? 'published, but' : 'not published'}: ${broken?.name ?? 'unknown'}`));
}

const STATES: Readonly<Record<number, ClauseView['state']>> = {
  [ClauseState.CLAUSE_STATE_HOLDS]: 'holds',
  [ClauseState.CLAUSE_STATE_FAILS]: 'fails',
};
const clauseView = ({ name, state, detail, nextStep }: discoveryV1.Clause): ClauseView => ({
  name,
  state: STATES[state] ?? 'not-reached',
  detail,
  nextStep,
});

/**
 * What the records cannot tell, the gateway may: that the supervisor has rejected the configuration, and why. It is asked
 * only where it could say more, and its silence takes nothing away.
 */
async function withGateway(
  input: Input,
  { workspace, sandbox, service, host }: discoveryV1.ExplainResponse,
  clauses: readonly ClauseView[],
): Promise<readonly ClauseView[]> {
  const at = clauses.findIndex(({ state }) => state === 'fails');
  const name = clauses[at]?.name;
  if (workspace === '' || (name !== 'configuration' && name !== 'report')) return clauses;
  const opened = await input.connections.open('gateway');
  if (!opened.ok) return clauses;
  const { link, bearer } = opened.value;
  const asked = await call(
    link,
    gatewayV1.GatewayServiceService.getService,
    { name: { workspace, sandbox, service } },
    { deadlineMs: DEADLINE_MS, bearer, signal: input.signal },
  );
  if (!asked.ok || asked.value.service === undefined) return clauses;
  const { state, detail } = asked.value.service;
  if (state !== SERVICE_STATE_REJECTED)
    return clauses.map((clause, index) =>
      index === at && detail !== '' ? { ...clause, detail: `${clause.detail} (gateway: ${detail})` } : clause,
    );
  const ref = [workspace, sandbox, service].filter(Boolean).join('/');
  return clauses.map((clause): ClauseView => {
    if (clause.name === 'configuration')
      return {
        ...clause,
        state: 'fails',
        detail,
        nextStep: `declare it otherwise: sallyport service expose ${ref}=PORT, then explain ${host} again`,
      };
    const isAfter = clauses.indexOf(clause) > clauses.findIndex((each) => each.name === 'configuration');
    return isAfter ? { ...clause, state: 'not-reached', detail: '', nextStep: '' } : clause;
  });
}

const MARKS = { holds: '✓', fails: '✗', 'not-reached': '·' } as const;

function textOf(
  answer: discoveryV1.ExplainResponse,
  clauses: readonly ClauseView[],
  dialled: Dialled | undefined,
  probes: boolean,
): string {
  const width = Math.max(...clauses.map(({ name }) => name.length));
  const lines = clauses.map(({ name, state, detail }) => clean(`${MARKS[state]} ${name.padEnd(width)}  ${detail}`).trimEnd());
  const broken = clauses.find(({ state }) => state === 'fails');
  const said = [`${answer.host} is ${answer.published ? 'published' : 'not published'}`, '', ...lines];
  if (probes) said.push(probeLine(dialled, width));
  const nextStep = broken?.nextStep ?? (dialled?.ok === false ? dialled.nextStep : '');
  if (nextStep !== '') said.push('', `next: ${clean(nextStep)}`);
  if (answer.record !== undefined && broken === undefined) said.push('', answer.record.url);
  return said.join('\n');
}

function probeLine(dialled: Dialled | undefined, width: number): string {
  if (dialled === undefined) return `· ${'probe'.padEnd(width)}  not dialled: it is not published`;
  return clean(`${dialled.ok ? '✓' : '✗'} ${'probe'.padEnd(width)}  ${dialled.detail}`);
}
