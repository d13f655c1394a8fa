import { err, ok, type Result } from '@sallyport/model';
import { call, gatewayV1, supervisorV1 } from '@sallyport/wire';
import type { Command, Input } from './command.ts';
import type { Connection } from './connections.ts';
import { readDuration, readServiceAndPort } from './names.ts';
import { DEADLINE_MS } from './service-commands.ts';
import { clean, formatJson } from './table.ts';
import { failed, type Trouble } from './trouble.ts';
import { refOf, serviceView, stateOf } from './views.ts';

const { exposeService, getService } = gatewayV1.GatewayServiceService;
const { OriginPolicy, CookiePolicy } = supervisorV1;

const ORIGINS: Readonly<Record<string, supervisorV1.OriginPolicy>> = {
  keep: OriginPolicy.ORIGIN_POLICY_KEEP,
  'match-host': OriginPolicy.ORIGIN_POLICY_MATCH_HOST,
  strip: OriginPolicy.ORIGIN_POLICY_STRIP,
};
const COOKIES: Readonly<Record<string, supervisorV1.CookiePolicy>> = {
  isolate: CookiePolicy.COOKIE_POLICY_ISOLATE,
  pass: CookiePolicy.COOKIE_POLICY_PASS,
};

const LOOK_EVERY_MS = 150;
/** Publication follows installation by a moment; where it does not, installed is all there will be. */
const INSTALLED_IS_ENOUGH_MS = 2_000;

export const exposeCommand: Command = {
  words: ['service', 'expose'],
  summary: 'Declares a service, prints its URL and waits until it is served.',
  argumentsForm: 'WORKSPACE/SANDBOX[/SERVICE][=PORT]',
  argumentsMin: 1,
  argumentsMax: 1,
  options: [
    { name: 'port', placeholder: 'N', meaning: 'Loopback port of the application in the sandbox.' },
    {
      name: 'host-policy',
      placeholder: 'public|loopback|VALUE',
      meaning: 'What Host the application sees; by default its public name.',
    },
    {
      name: 'origin-policy',
      placeholder: 'keep|match-host|strip',
      meaning: 'What Origin it sees; by default as sent.',
      choices: Object.keys(ORIGINS),
    },
    {
      name: 'cookies',
      placeholder: 'isolate|pass',
      meaning: 'Whether its cookies may cover neighbouring hosts; by default not.',
      choices: Object.keys(COOKIES),
    },
    { name: 'wait', placeholder: 'DURATION', meaning: 'How long to wait until it is served; by default 10s.' },
    { name: 'no-wait', meaning: 'Only declare it.' },
  ],
  examples: [
    'sallyport service expose team/demo/web=3000',
    'sallyport service expose team/demo/web --port 3000 --host-policy loopback',
  ],
  about: 'Repeating it with another port or policy changes the declaration. The URL alone goes to stdout, progress to stderr.',
  async run(input) {
    const wanted = readServiceAndPort(input.args[0] ?? '', input.option('port'));
    if (!wanted.ok) return wanted;
    const waitMs = readDuration('wait', input.option('wait') ?? '10s');
    if (!waitMs.ok) return waitMs;
    const opened = await input.connections.open('gateway');
    if (!opened.ok) return opened;
    const { link, bearer, explain } = opened.value;
    const { ref, port } = wanted.value;
    const request = { name: ref, port, policy: policyOf(input) };
    const declared = await call(link, exposeService, request, { deadlineMs: DEADLINE_MS, bearer, signal: input.signal });
    if (!declared.ok) return err(await explain(declared.error, `expose ${refOf(ref)}`));
    const { service } = declared.value;
    if (service === undefined) return err(failed("the gateway's answer is empty: it may be of another release"));
    if (!input.json) input.print(service.url);
    const served = input.flag('no-wait') ? ok(service) : await untilServed(input, opened.value, service, waitMs.value);
    if (!served.ok) return served;
    if (input.json) input.print(formatJson(serviceView(served.value)));
    return ok(undefined);
  },
};

function policyOf(input: Input): supervisorV1.ServicePolicy {
  const host = input.option('host-policy') ?? 'public';
  return {
    host: host === 'public' ? '' : host,
    origin: ORIGINS[input.option('origin-policy') ?? 'keep'] ?? OriginPolicy.ORIGIN_POLICY_KEEP,
    cookies: COOKIES[input.option('cookies') ?? 'isolate'] ?? CookiePolicy.COOKIE_POLICY_ISOLATE,
  };
}

/** Tells each change of the state, and ends when it is served, refused, or the time is over. */
async function untilServed(
  input: Input,
  { link, bearer, explain }: Connection,
  declared: gatewayV1.Service,
  waitMs: number,
): Promise<Result<gatewayV1.Service, Trouble>> {
  const name = declared.name ?? { workspace: '', sandbox: '', service: '' };
  const ref = refOf(name);
  const until = performance.now() + waitMs;
  let installedAt = Number.POSITIVE_INFINITY;
  let told = '';
  for (let service = declared; ; ) {
    const state = stateOf(service);
    const line =
      state === 'published' ? `published at ${service.endpoint}` : service.detail === '' ? state : `${state}: ${service.detail}`;
    if (line !== told) input.progress(`${ref} ${clean(line)}`);
    told = line;
    const now = performance.now();
    if (state !== 'installed') installedAt = Number.POSITIVE_INFINITY;
    else installedAt = Math.min(installedAt, now);
    if (state === 'published' || now - installedAt >= Math.min(INSTALLED_IS_ENOUGH_MS, waitMs)) return ok(service);
    const again = `look again with: sallyport service get ${ref}`;
    if (state === 'rejected')
      return err(failed(`${ref} is declared and not served: ${clean(service.detail)}; mend it and expose it again`));
    if (now >= until)
      return err(failed(`${ref} is declared and not served after ${waitMs / 1_000} s (${clean(line)}); ${again}`));
    if (!(await pause(LOOK_EVERY_MS, input.signal)))
      return err(failed(`${ref} is declared; nobody waited until it was served; ${again}`));
    const looked = await call(link, getService, { name }, { deadlineMs: DEADLINE_MS, bearer, signal: input.signal });
    // A gateway that is busy for a moment is asked again; one that refuses is not.
    if (!looked.ok && looked.error.kind !== 'not-ready') return err(await explain(looked.error, `see how ${ref} stands`));
    if (!looked.ok && performance.now() >= until) return err(await explain(looked.error, `see how ${ref} stands`));
    if (looked.ok && looked.value.service !== undefined) service = looked.value.service;
  }
}

/** False: the signal came first. */
const pause = (ms: number, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve(!signal.aborted);
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
