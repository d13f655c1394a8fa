import { setTimeout } from 'node:timers/promises';
import type { Failure, Result } from '@sallyport/model';
import { type CallOptions, call, discoveryV1, gatewayV1, type Link } from '@sallyport/wire';
import type { Input } from '../command.ts';
import type { Connection } from '../connections.ts';
import { DEADLINE_MS } from '../service-commands.ts';
import type { Server } from '../target.ts';
import { EXIT_USAGE, type Trouble } from '../trouble.ts';
import { type Finding, fails, holds, skipped } from './finding.ts';
import { judgeClock } from './judge-clock.ts';

/** What was found of one server, and what it says if it can be asked. */
export interface ServerChecked<Status> {
  readonly findings: readonly Finding[];
  readonly asked: { readonly connection: Connection; readonly status: Status } | undefined;
  /** The command line itself is wrong. */
  readonly misused?: Trouble;
}

type Ask<Status> = (link: Link, options: CallOptions) => Promise<Result<Status, Failure>>;

/** Old views make discovery hide records; milliseconds. */
const LOOK_EVERY_MS = 250;
const LAG_MAX_MS = 5_000;

export async function checkGateway(input: Input): Promise<ServerChecked<gatewayV1.GetStatusResponse>> {
  const checked = await checkServer(input, 'gateway', (link, options) =>
    call(link, gatewayV1.GatewayServiceService.getStatus, {}, options),
  );
  if (checked.asked === undefined) return checked;
  const { connection, status } = checked.asked;
  const said = `release ${status.version}, ${counted(status.sandboxCount, 'sandbox', 'sandboxes')}, ${counted(status.serviceCount, 'service', 'services')}`;
  return {
    ...checked,
    findings: [
      holds('gateway', `${connection.address} answers: ${said}`),
      ...checked.findings,
      ...(await whatTheGatewayFinds(input, connection)),
      supervisorsFinding(status),
    ],
  };
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

async function whatTheGatewayFinds(input: Input, { link, bearer, explain }: Connection): Promise<readonly Finding[]> {
  const { checkInstallation } = gatewayV1.GatewayServiceService;
  const looked = await call(link, checkInstallation, {}, { deadlineMs: DEADLINE_MS, bearer, signal: input.signal });
  if (looked.ok)
    return looked.value.findings.map(({ name, ok, detail, nextStep }) => ({
      name,
      state: ok ? 'holds' : 'fails',
      detail,
      nextStep,
    }));
  if (looked.error.kind === 'unsupported')
    return [skipped('store, driver', 'this gateway is of a release that does not look', 'update the gateway')];
  return [failing('store, driver', await explain(looked.error, 'have the gateway look'))];
}

function supervisorsFinding({ members }: gatewayV1.GetStatusResponse): Finding {
  const ready = members.filter((member) => member.ready && !member.draining);
  if (ready.length === 0)
    return fails(
      'supervisors',
      members.length === 0 ? 'none has joined: nothing can be served' : 'none is ready: nothing more is taken',
      'start one; its log says why no gateway takes it, if none does',
    );
  const listening = ready.filter(({ appPort }) => appPort !== 0).length;
  return holds('supervisors', `${ready.length} ready, ${listening} with the listener on`);
}

export async function checkDiscovery(
  input: Input,
  waitMs: number,
): Promise<ServerChecked<discoveryV1.GetStatusResponse | undefined>> {
  const checked = await checkServer<discoveryV1.GetStatusResponse | undefined>(input, 'discovery', async (link, options) => {
    const asked = await untilHeard(() => call(link, discoveryV1.DiscoveryServiceService.getStatus, {}, options), waitMs, input);
    // One of an earlier release answers nothing of the kind, and so it answers.
    return asked.ok || asked.error.kind !== 'unsupported' ? asked : { ok: true, value: undefined };
  });
  if (checked.asked === undefined) return checked;
  const { connection, status } = checked.asked;
  return { ...checked, findings: [discoveryFinding(connection.address, status), ...checked.findings] };
}

type StatusAnswer = Result<discoveryV1.GetStatusResponse, Failure>;

/** A replica that has just started hears of the gateways within a beat: so long it is no fault. */
async function untilHeard(ask: () => Promise<StatusAnswer>, waitMs: number, { signal }: Input): Promise<StatusAnswer> {
  const until = performance.now() + waitMs;
  for (;;) {
    const answer = await ask();
    if (!answer.ok || (answer.value.notReady === '' && answer.value.hasAuthority) || performance.now() >= until) return answer;
    await setTimeout(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return answer;
  }
}

function discoveryFinding(address: string, status: discoveryV1.GetStatusResponse | undefined): Finding {
  if (status === undefined) return holds('discovery', `${address} answers; it is of an earlier release`);
  const { version, notReady, lagMs, hasAuthority } = status;
  if (notReady !== '') return fails('discovery', `${address} is not ready: ${notReady}`, 'look at its /readyz, and at the store');
  if (!hasAuthority)
    return fails('discovery', `${address} hears no gateway renew: all records run out`, 'look at the gateways and at the store');
  if (lagMs > LAG_MAX_MS)
    return fails(
      'discovery',
      `${address} has a view that is ${(lagMs / 1_000).toFixed(0)} s old`,
      'look at its way to the store',
    );
  return holds('discovery', `${address} answers: release ${version}, its view is ${(lagMs / 1_000).toFixed(1)} s old`);
}

/** Port, certificate and token in one call, and the clock that the answer was dated by. */
async function checkServer<Status>(input: Input, server: Server, ask: Ask<Status>): Promise<ServerChecked<Status>> {
  if (!input.connections.has(server) && input.option(server) === undefined) {
    const next = `give --${server} HOST:PORT, --token-file and --ca-file, or start a dev stack with npm start`;
    return { findings: [skipped(server, 'not looked at: nobody said where it is', next)], asked: undefined };
  }
  const opened = await input.connections.open(server);
  if (!opened.ok) {
    const misused = opened.error.exitCode === EXIT_USAGE ? { misused: opened.error } : {};
    return { findings: [failing(server, opened.error)], asked: undefined, ...misused };
  }
  const connection = opened.value;
  const { link, bearer, explain } = connection;
  let clock: Finding | undefined;
  const answer = await ask(link, {
    deadlineMs: DEADLINE_MS,
    bearer,
    signal: input.signal,
    onServerTime: (unixMs) => {
      clock = judgeClock(`${server} clock`, { serverMs: unixMs, heardAtMs: Date.now() });
    },
  });
  if (!answer.ok) return { findings: [failing(server, await explain(answer.error, 'be asked'))], asked: undefined };
  return { findings: clock === undefined ? [] : [clock], asked: { connection, status: answer.value } };
}

/** Troubles are one line: what, and after a semicolon what to do. */
function failing(name: string, { text }: Trouble): Finding {
  const at = text.indexOf('; ');
  const [detail, nextStep] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 2)];
  return fails(name, detail, nextStep === '' ? 'try again, and look at its log' : nextStep);
}
