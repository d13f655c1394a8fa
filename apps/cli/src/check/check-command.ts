import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { err, ok, parseDomain, type Result } from '@sallyport/model';
import { call, gatewayV1 } from '@sallyport/wire';
import type { Command, Input } from '../command.ts';
import type { Connection } from '../connections.ts';
import { readDuration } from '../names.ts';
import { DEADLINE_MS } from '../service-commands.ts';
import { clean, formatJson } from '../table.ts';
import { failed, misused, type Trouble } from '../trouble.ts';
import { stateOf } from '../views.ts';
import { checkApps, readAppAddress } from './check-apps.ts';
import { checkNames } from './check-names.ts';
import { checkDiscovery, checkGateway } from './check-server.ts';
import { checkCluster } from './cluster/check-cluster.ts';
import { CLUSTER_OPTIONS, type ClusterAsked, readClusterAsked } from './cluster/cluster-options.ts';
import { type Finding, skipped } from './finding.ts';
import { createResolver } from './resolver.ts';

const NOTHING_TO_LOOK_AT =
  'there is nothing to look at: give --gateway, --discovery (each with --token-file and --ca-file), --domain or --kubeconfig, or start a dev stack with npm start';
const HTTPS_PORT = 443;
/** Gateways renew each 5 s. */
const WAIT = '6s';

export const checkCommand: Command = {
  words: ['check'],
  summary: 'Looks at what an installation needs: DNS, certificate, ports, clocks, store, driver; Kubernetes with --kubeconfig.',
  argumentsForm: '',
  argumentsMin: 0,
  argumentsMax: 0,
  options: [
    { name: 'domain', placeholder: 'DOMAIN', meaning: 'Domain of the applications; the gateway knows it once it runs.' },
    { name: 'cert-file', placeholder: 'FILE', meaning: 'Certificate that supervisors have, or shall have; PEM.' },
    { name: 'app-address', placeholder: 'HOST:PORT', meaning: 'Where applications are reached; else where DNS leads.' },
    {
      name: 'wait',
      placeholder: 'DURATION',
      meaning: 'How long discovery may take to hear of the gateways: it may just have started (6s).',
    },
    { name: 'resolver', placeholder: 'ADDRESS', meaning: 'DNS server to ask instead of what this machine asks.' },
    ...CLUSTER_OPTIONS,
  ],
  examples: [
    'sallyport check',
    'sallyport check --kubeconfig ~/.kube/config --namespace sallyport',
    'sallyport check --domain apps.example.com --cert-file tls.crt',
    'sallyport check --app-address 10.0.0.7:8443 -o json',
  ],
  about:
    'Also good before anything is installed: then give the domain and the certificate, and the cluster. Reads only. Each line holds (✓), fails (✗, with what to do) or was not looked at (·, with what to give). Ends with 1 if any fails, and with 64 if there was nothing to look at.',
  async run(input) {
    const asked = readAsked(input);
    if (!asked.ok) return asked;
    const at = asked.value.cluster;
    const [gateway, discovery, cluster] = await Promise.all([
      checkGateway(input),
      checkDiscovery(input, asked.value.waitMs),
      at === undefined ? { findings: [], domain: undefined } : checkCluster({ ...at, nowMs: Date.now() }),
    ]);
    const wrong = gateway.misused ?? discovery.misused;
    if (wrong !== undefined) return err(wrong);
    const known = gateway.asked;
    const services = known === undefined ? [] : await listServices(input, known.connection);
    const names = await namesAndApps(input, asked.value, {
      domain: known?.status?.domain || cluster.domain,
      status: known?.status,
      services,
      caFile: known?.connection.caFile,
    });
    const findings = [...cluster.findings, ...gateway.findings, ...discovery.findings, ...names];
    if (input.json)
      input.print(
        formatJson({ ok: findings.some(({ state }) => state === 'holds') && failing(findings) === 0, checks: findings }),
      );
    else input.print(textOf(findings));
    // A check in a script that forgot to say of what must not pass.
    if (findings.every(({ state }) => state === 'skipped')) return err(misused(NOTHING_TO_LOOK_AT));
    const count = failing(findings);
    return count === 0 ? ok(undefined) : err(failed(`${count} of ${findings.length} checks fail`));
  },
};

interface Asked {
  readonly domain: string | undefined;
  readonly appAddress: { readonly host: string; readonly port: number } | undefined;
  readonly resolver: string | undefined;
  readonly waitMs: number;
  readonly cluster: ClusterAsked | undefined;
}

function readAsked(input: Input): Result<Asked, Trouble> {
  const [domain, appAddress, resolver] = ['domain', 'app-address', 'resolver'].map((name) => input.option(name));
  const parsed = domain === undefined ? ok(undefined) : parseDomain(domain);
  if (!parsed.ok) return err(misused(`--domain: ${parsed.error}`));
  const at = appAddress === undefined ? undefined : readAppAddress(appAddress);
  if (appAddress !== undefined && at === undefined)
    return err(misused(`--app-address: ${JSON.stringify(appAddress)} is not host:port, such as 10.0.0.7:443`));
  if (resolver !== undefined && isIP(resolver.replace(/^\[(.*)\](:\d+)?$|:\d+$/, '$1')) === 0)
    return err(misused(`--resolver: ${JSON.stringify(resolver)} is not the IP address of a DNS server`));
  const wait = readDuration('wait', input.option('wait') ?? WAIT);
  if (!wait.ok) return wait;
  const cluster = readClusterAsked(input);
  return cluster.ok
    ? ok({ domain: parsed.value, appAddress: at, resolver, waitMs: wait.value, cluster: cluster.value })
    : cluster;
}

async function listServices(input: Input, { link, bearer }: Connection): Promise<readonly gatewayV1.Service[]> {
  const options = { deadlineMs: DEADLINE_MS, bearer, signal: input.signal };
  const listed = await call(link, gatewayV1.GatewayServiceService.listServices, { workspace: '', sandbox: '' }, options);
  // Whoever may not list them is told of DNS and certificate all the same.
  return listed.ok ? listed.value.services : [];
}

interface KnownOfGateway {
  /** Of the gateway, else of the cluster's supervisors. */
  readonly domain: string | undefined;
  readonly status: gatewayV1.GetStatusResponse | undefined;
  readonly services: readonly gatewayV1.Service[];
  readonly caFile: string | undefined;
}

async function namesAndApps(
  input: Input,
  { domain: given, appAddress, resolver }: Asked,
  { domain: known, status, services, caFile }: KnownOfGateway,
): Promise<readonly Finding[]> {
  const domain = given ?? known;
  if (domain === undefined)
    return [skipped('dns, app port, certificate', 'not looked at: the domain is not known', 'give --domain apps.example.com')];
  const published = services.filter((service) => stateOf(service) === 'published' && service.host.endsWith(`.${domain}`));
  const hosts = published.map(({ host }) => host);
  // The next service's name is one that nobody has a record for.
  const probe = `sallyport-check-${randomBytes(4).toString('hex')}.${domain}`;
  const { finding, addresses } = await checkNames(createResolver(resolver), { domain, probe, hosts });
  const [host] = addresses;
  const port = portOf(published[0]?.url) ?? (status?.urlPort || HTTPS_PORT);
  const at = appAddress ?? (host === undefined ? undefined : { host, port });
  const certGiven = input.option('cert-file');
  const certFile = certGiven === undefined ? undefined : resolve(input.cwd, certGiven);
  return [finding, ...(await checkApps({ domain, probe, hosts, at, caFile, certFile, nowMs: Date.now() }))];
}

const portOf = (url: string | undefined): number | undefined => {
  const parsed = url === undefined ? null : URL.parse(url);
  return parsed === null ? undefined : Number(parsed.port) || HTTPS_PORT;
};

const failing = (findings: readonly Finding[]): number => findings.filter(({ state }) => state === 'fails').length;

const MARKS = { holds: '✓', fails: '✗', skipped: '·' } as const;

function textOf(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  return findings
    .flatMap(({ name, state, detail, nextStep }) => [
      clean(`${MARKS[state]} ${name.padEnd(width)}  ${detail}`),
      ...(nextStep === '' ? [] : [clean(`  ${' '.repeat(width)}  → ${nextStep}`)]),
    ])
    .join('\n');
}
