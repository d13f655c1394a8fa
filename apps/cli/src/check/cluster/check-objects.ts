import type { Trouble } from '@sallyport/kube';
import type { Result } from '@sallyport/model';
import { ok } from '@sallyport/model';
import { type Finding, fails, holds, skipped } from '../finding.ts';
import type { Installed, NeededObject } from './installed.ts';
import { judgeObject, unverifiable } from './judge-object.ts';
import { type LookedAt, notSeen, pathIn } from './looked-at.ts';

/** Of what is mounted by a release; more is no installation of ours. */
const OBJECTS_MAX = 64;

/** The Secrets and ConfigMaps that Pods of the release mount; before there are any, those that the chart's defaults name. */
export async function checkObjects(at: LookedAt, installed: Installed | undefined): Promise<readonly Finding[]> {
  const needed = (installed?.needed ?? neededByDefault(at.release)).slice(0, OBJECTS_MAX);
  const seen = await Promise.all(needed.map(async (each) => ({ each, object: await read(at, each) })));
  const findings = seen.map(({ each, object }) => {
    const name = nameOf(each);
    if (!object.ok) return notSeen(name, object.error, `get ${each.kind}s in namespace ${at.namespace}`, at);
    if (object.value === undefined) return missing(name, each, at, installed === undefined);
    const judged = judgeObject(each, object.value, { nowMs: at.nowMs, domain: installed?.domain });
    return judged.ok ? holds(name, judged.detail) : fails(name, judged.detail, howToMake(each, at));
  });
  return [...findings, ...pairOfKeys(seen, at)];
}

type Seen = { readonly each: NeededObject; readonly object: Result<unknown, Trouble> };

/** What signs must be known to what verifies, or tokens are refused that gateways have just signed. */
function pairOfKeys(seen: readonly Seen[], at: LookedAt): readonly Finding[] {
  const found = (kind: NeededObject['kind']): unknown =>
    seen.flatMap(({ each, object }) => (each.kind === kind && each.jwks && object.ok ? [object.value] : []))[0];
  const [signing, verify] = [found('Secret'), found('ConfigMap')];
  if (signing === undefined || verify === undefined) return [];
  const unknown = unverifiable(signing, verify);
  if (unknown.length === 0) return [holds('signing keys', 'each has its public half in the ConfigMap')];
  const next = `apply both, from one directory: ${pki(at)}`;
  return [fails('signing keys', `the ConfigMap has no public half of ${unknown.join(', ')}`, next)];
}

/** Undefined: it is not there. */
async function read({ client, namespace }: LookedAt, { kind, name }: NeededObject): Promise<Result<unknown, Trouble>> {
  const resource = kind === 'Secret' ? 'secrets' : 'configmaps';
  const answer = await client.get(`${pathIn(namespace, resource)}/${encodeURIComponent(name)}`);
  return !answer.ok && answer.error.kind === 'missing' ? ok(undefined) : answer;
}

function missing(name: string, each: NeededObject, at: LookedAt, before: boolean): Finding {
  if (before && each.forApps)
    return skipped(name, 'is not there; needed where appListener.enabled, unless tlsSecret names another', howToMake(each, at));
  return fails(name, `is not in namespace ${at.namespace}`, howToMake(each, at));
}

const nameOf = ({ kind, name }: NeededObject): string => `${kind === 'Secret' ? 'secret' : 'configmap'} ${name}`;
const pki = ({ release, namespace }: LookedAt): string =>
  `sallyport pki secrets DIR --release ${release} --namespace ${namespace} | kubectl apply -f -`;

function howToMake({ kind, name, keys, jwks, forApps }: NeededObject, at: LookedAt): string {
  const own = jwks || (name.startsWith(`${at.release}-`) && name.endsWith('-internal'));
  if (own) return pki(at);
  const create = `kubectl -n ${at.namespace} create`;
  if (forApps)
    return `${create} secret tls ${name} --cert FILE --key FILE, or a certificate of cert-manager (appListener.certificate)`;
  if (name === `${at.release}-edge-token`)
    return `sallyport pki token DIR --principal edge --role reader --days 365 > edge.token; ${create} secret generic ${name} --from-file=token=edge.token`;
  const from = keys.map((key) => `--from-file=${key}=FILE`).join(' ');
  return `${create} ${kind === 'Secret' ? 'secret generic' : 'configmap'} ${name} ${from}`;
}

const PAIR = ['ca.crt', 'tls.crt', 'tls.key'] as const;
const BY_DEFAULT = ['gateway', 'discovery', 'driver', 'supervisor'] as const;

/** What the chart mounts with no values given; a test holds it to what is rendered. */
export function neededByDefault(release: string): readonly NeededObject[] {
  const secret = (name: string, change: Partial<NeededObject> = {}): NeededObject => ({
    kind: 'Secret',
    name: `${release}-${name}`,
    keys: PAIR,
    jwks: false,
    forApps: false,
    ...change,
  });
  return [
    ...BY_DEFAULT.map((app) => secret(`${app}-internal`)),
    secret('etcd-client'),
    secret('signing-keys', { keys: [], jwks: true }),
    secret('verify-keys', { kind: 'ConfigMap', keys: [], jwks: true }),
    secret('apps', { keys: ['tls.crt', 'tls.key'], forApps: true }),
  ];
}
