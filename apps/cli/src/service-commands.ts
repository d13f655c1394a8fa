import { err, ok, type Result } from '@sallyport/model';
import { call, discoveryV1, gatewayV1 } from '@sallyport/wire';
import type { Command, Input } from './command.ts';
import { formatDuration } from './duration.ts';
import { readScope, readServiceName } from './names.ts';
import { formatFacts, formatJson, formatTable, noneOf } from './table.ts';
import { takeSnapshot } from './take-snapshot.ts';
import { failed, type Trouble } from './trouble.ts';
import { refOf, type State, serviceView, stateOf } from './views.ts';

/** For one question to a gateway; milliseconds. */
export const DEADLINE_MS = 10_000;
/** For what only adds to an answer; milliseconds. */
const DISCOVERY_MS = 2_000;
const { listServices, getService, deleteService } = gatewayV1.GatewayServiceService;

export const listCommand: Command = {
  words: ['service', 'list'],
  summary: 'Lists services, their URLs and how they stand.',
  argumentsForm: '[WORKSPACE[/SANDBOX]]',
  argumentsMin: 0,
  argumentsMax: 1,
  options: [],
  examples: ['sallyport service list', 'sallyport service list team/demo', 'sallyport service list -o json'],
  async run(input) {
    const scope = readScope(input.args[0] ?? '');
    if (!scope.ok) return scope;
    const opened = await input.connections.open('gateway');
    if (!opened.ok) return opened;
    const { link, bearer, explain } = opened.value;
    const listed = await call(link, listServices, scope.value, { deadlineMs: DEADLINE_MS, bearer, signal: input.signal });
    if (!listed.ok) return err(await explain(listed.error, 'list services'));
    const certain = await certainties(input, scope.value.workspace);
    const services = listed.value.services.map((service) => ({
      ...serviceView(service),
      certainForMs: (stateOf(service) === 'published' ? certain.get(service.host) : undefined) ?? null,
    }));
    if (input.json) input.print(formatJson(services));
    else if (services.length === 0)
      input.progress(noneOf('services', input.args, '; declare one with: sallyport service expose team/demo/web=3000'));
    else {
      const rows = services.map((service) => [
        refOf(service),
        String(service.port),
        service.state,
        service.sinceMs === 0 ? '' : formatDuration(service.sinceMs),
        service.certainForMs === null ? '' : formatDuration(service.certainForMs),
        service.url,
        service.detail,
      ]);
      input.print(formatTable(['SERVICE', 'PORT', 'STATE', 'SINCE', 'CERTAIN FOR', 'URL', 'DETAIL'], rows));
    }
    return ok(undefined);
  },
};

export const getCommand: Command = {
  words: ['service', 'get'],
  summary: 'Shows one service.',
  argumentsForm: 'WORKSPACE/SANDBOX[/SERVICE]',
  argumentsMin: 1,
  argumentsMax: 1,
  options: [],
  examples: ['sallyport service get team/demo/web'],
  async run(input) {
    const found = await findService(input, input.args[0] ?? '');
    if (!found.ok) return found;
    const service = { ...serviceView(found.value), ...(await seenByDiscovery(input, found.value)) };
    if (input.json) input.print(formatJson(service));
    else {
      const { policy, certainForMs } = service;
      const state = service.detail === '' ? service.state : `${service.state}: ${service.detail}`;
      const facts: [string, string][] = [
        ['service', refOf(service)],
        ['url', service.url],
        ['port', String(service.port)],
        ['state', state],
        ['since', service.sinceMs === 0 ? '' : `${formatDuration(service.sinceMs)} ago, as far as this gateway has seen`],
        ['endpoint', service.endpoint],
        ['certain for', certainForMs === null ? '' : `${formatDuration(certainForMs)}, and renewed each 5 s`],
        ['policy', `host ${policy.host}, origin ${policy.origin}, cookies ${policy.cookies}`],
        ['configuration', String(service.configRevision)],
      ];
      input.print(formatFacts(facts));
    }
    return ok(undefined);
  },
};

async function findService(input: Input, text: string): Promise<Result<gatewayV1.Service, Trouble>> {
  const name = readServiceName(text);
  if (!name.ok) return name;
  const opened = await input.connections.open('gateway');
  if (!opened.ok) return opened;
  const { link, bearer, explain } = opened.value;
  const found = await call(link, getService, { name: name.value }, { deadlineMs: DEADLINE_MS, bearer, signal: input.signal });
  if (!found.ok) return err(await explain(found.error, `show ${text}`));
  return found.value.service === undefined
    ? err(failed(`the gateway's answer about ${text} is empty: it may be of another release`))
    : ok(found.value.service);
}

export const deleteCommand: Command = {
  words: ['service', 'delete'],
  summary: 'Withdraws a service; its open connections end.',
  argumentsForm: 'WORKSPACE/SANDBOX[/SERVICE]',
  argumentsMin: 1,
  argumentsMax: 1,
  options: [],
  examples: ['sallyport service delete team/demo/web'],
  async run(input) {
    const text = input.args[0] ?? '';
    const name = readServiceName(text);
    if (!name.ok) return name;
    const opened = await input.connections.open('gateway');
    if (!opened.ok) return opened;
    const { link, bearer, explain } = opened.value;
    const deleted = await call(
      link,
      deleteService,
      { name: name.value },
      { deadlineMs: DEADLINE_MS, bearer, signal: input.signal },
    );
    if (!deleted.ok) return err(await explain(deleted.error, `delete ${text}`));
    if (input.json) input.print(formatJson({ deleted: refOf(name.value) }));
    else input.progress(`${refOf(name.value)} is withdrawn`);
    return ok(undefined);
  },
};

/**
 * What discovery adds, where it can be asked: until when a published service is certain. One that it does not show has run
 * out, whatever is on record.
 */
async function seenByDiscovery(
  input: Input,
  service: gatewayV1.Service,
): Promise<{ readonly certainForMs: number | null; readonly state?: State; readonly detail?: string }> {
  const unknown = { certainForMs: null };
  if (stateOf(service) !== 'published' || !input.connections.has('discovery')) return unknown;
  const opened = await input.connections.open('discovery');
  if (!opened.ok) return unknown;
  const { link, bearer } = opened.value;
  const options = { deadlineMs: DISCOVERY_MS, bearer, signal: input.signal };
  const resolved = await call(link, discoveryV1.DiscoveryServiceService.resolve, { host: service.host }, options);
  if (resolved.ok) return { certainForMs: resolved.value.record?.ttlMs ?? null };
  return resolved.error.kind === 'unknown'
    ? { certainForMs: null, state: 'expired', detail: 'it is on record, but was not renewed; see: sallyport explain HOST' }
    : unknown;
}

/** For how long discovery is certain of each published host; empty where it cannot be asked. */
async function certainties(input: Input, workspace: string): Promise<ReadonlyMap<string, number>> {
  if (!input.connections.has('discovery')) return new Map();
  const opened = await input.connections.open('discovery');
  if (!opened.ok) return new Map();
  const workspaces = workspace === '' ? [] : [workspace];
  const taken = await takeSnapshot(opened.value, { workspaces, deadlineMs: DISCOVERY_MS, signal: input.signal });
  return new Map(taken.ok ? taken.value.records.map(({ host, ttlMs }) => [host, ttlMs]) : []);
}
