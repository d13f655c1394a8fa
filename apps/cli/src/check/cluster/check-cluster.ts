import { listOf, objectOf } from '@sallyport/kube';
import { type Finding, fails, holds, skipped } from '../finding.ts';
import { checkObjects } from './check-objects.ts';
import { checkDriverPermissions, checkMayInstall } from './check-permissions.ts';
import { checkPods } from './check-pods.ts';
import { checkServices } from './check-services.ts';
import { readDriverSettings, settingsByDefault } from './driver-settings.ts';
import { explainTrouble } from './explain-trouble.ts';
import { type Installed, type Running, readInstalled } from './installed.ts';
import { judgeVersion } from './judge-version.ts';
import { type LookedAt, notSeen, pathIn } from './looked-at.ts';
import { type ClusterAt, openCluster } from './open-cluster.ts';
import { whyNotReady } from './why-not-ready.ts';

export interface ClusterChecked {
  readonly at: ClusterAt;
  readonly namespace: string;
  readonly release: string;
  readonly nowMs: number;
}

export interface ClusterFound {
  readonly findings: readonly Finding[];
  /** Of the applications, as supervisors have it. Undefined: not seen. */
  readonly domain: string | undefined;
}

/** What the cluster itself shows of an installation, or lacks for one. Reads and asks; changes nothing. */
export async function checkCluster({ at, ...asked }: ClusterChecked): Promise<ClusterFound> {
  const opened = await openCluster(at);
  if (!opened.ok) {
    const next = at.kind === 'kubeconfig' ? 'mend that file, or give another with --kubeconfig' : 'give --kubeconfig FILE';
    return { findings: [fails('cluster', opened.error, next)], domain: undefined };
  }
  const { client, server, token, close } = opened.value;
  try {
    return await look({ ...asked, client, server, token });
  } finally {
    await close();
  }
}

async function look(at: LookedAt): Promise<ClusterFound> {
  const version = await at.client.get('/version');
  if (!version.ok) {
    const { detail, nextStep } = explainTrouble(version.error, at);
    return { findings: [fails('cluster', detail, nextStep)], domain: undefined };
  }
  const cluster = judgeVersion(version.value, at.server);
  const namespace = await checkNamespace(at);
  if (namespace?.state === 'fails') {
    const findings = [cluster, namespace, await checkMayInstall(at)];
    return { findings, domain: undefined };
  }
  const { installed, isKnown, findings } = await findInstalled(at);
  const given = installed?.driverArguments;
  const settings = given === undefined ? settingsByDefault(at.namespace, at.release) : readDriverSettings(given);
  // Who cannot see whether there is a driver is told of its account all the same.
  const isBefore = isKnown && given === undefined;
  const parts = await Promise.all([
    checkObjects(at, installed),
    isBefore ? [await checkMayInstall(at)] : checkDriverPermissions(at, settings),
    checkPods(at, settings),
    installed === undefined ? [] : checkServices(at),
  ]);
  const first = [cluster, ...(namespace === undefined ? [] : [namespace])];
  return { findings: [...first, ...findings, ...parts.flat()], domain: installed?.domain };
}

/** Undefined: it may not be asked for, and what is in it will tell. */
async function checkNamespace(at: LookedAt): Promise<Finding | undefined> {
  const answer = await at.client.get(`/api/v1/namespaces/${encodeURIComponent(at.namespace)}`);
  if (answer.ok) return undefined;
  if (answer.error.kind === 'forbidden') return undefined;
  if (answer.error.kind !== 'missing') return notSeen('namespace', answer.error, 'get Namespaces', at);
  return fails(
    'namespace',
    `there is no namespace ${at.namespace}`,
    `kubectl create namespace ${at.namespace}, or name another with --namespace`,
  );
}

interface Found {
  readonly installed: Installed | undefined;
  readonly isKnown: boolean;
  readonly findings: readonly Finding[];
}

async function findInstalled(at: LookedAt): Promise<Found> {
  const labelSelector = `app.kubernetes.io/part-of=sallyport,app.kubernetes.io/instance=${at.release}`;
  const objects: { kind: Running['kind']; object: unknown }[] = [];
  for (const kind of ['deployment', 'statefulset'] as const) {
    const answer = await at.client.get(pathIn(at.namespace, `${kind}s`, '/apis/apps/v1'), { labelSelector });
    if (!answer.ok) {
      const finding = notSeen('release', answer.error, `list ${kind}s in namespace ${at.namespace}`, at);
      return { installed: undefined, isKnown: false, findings: [finding] };
    }
    for (const object of listOf(objectOf(answer.value).items)) objects.push({ kind, object });
  }
  const installed = readInstalled(objects);
  if (installed === undefined) {
    const detail = `nothing of release ${at.release} is in namespace ${at.namespace} yet: looked at what the chart needs by default`;
    return {
      installed,
      isKnown: true,
      findings: [skipped('release', detail, 'helm install it, or name another with --release and --namespace')],
    };
  }
  // Whoever may not list Pods is told of their number alone.
  const waited = installed.running.some(({ ready, wanted }) => ready < wanted);
  const pods = waited ? await at.client.get(pathIn(at.namespace, 'pods'), { labelSelector }) : undefined;
  const listed = pods?.ok === true ? listOf(objectOf(pods.value).items) : [];
  const findings = installed.running.map((each) => judgeRunning(each, whyNotReady(listed, each.component), at));
  return { installed, isKnown: true, findings };
}

function judgeRunning({ kind, name, wanted, ready }: Running, why: string, { namespace }: LookedAt): Finding {
  const said = `${ready} of ${wanted} Pods ready`;
  return ready >= wanted
    ? holds(`${kind} ${name}`, said)
    : fails(
        `${kind} ${name}`,
        why === '' ? said : `${said}; ${why}`,
        `kubectl -n ${namespace} describe ${kind} ${name}, and the log of its Pods`,
      );
}
