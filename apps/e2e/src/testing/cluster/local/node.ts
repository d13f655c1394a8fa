import { mkdirSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type ApiObject, type KubeApi, RESOURCES, type Resource } from '@sallyport/kube/testing';
import { until } from '../../../authority/rig/until.ts';
import { ADDRESS_ANNOTATION } from '../plan.ts';
import { commandOf, isControlPlane } from './commands.ts';
import { type Container, startContainer } from './container.ts';
import type { Place, Places } from './places.ts';
import { type Mounted, mountVolumes, type Volume } from './volumes.ts';

/** A machine that runs Pods, as far as its API server can tell: addresses, readiness, restarts, ends. */
export interface Node {
  place(name: string): Place;
  container(name: string, container?: string): Container;
  renewTokens(name: string): Promise<void>;
  /** The machine is gone with these Pods on it: nothing of them runs or answers, and nobody says so. */
  lose(names: readonly string[]): void;
  /** And is back, as it was. */
  find(names: readonly string[]): void;
  /** What a cluster finds out later about a machine that says nothing. */
  declareLost(names: readonly string[]): void;
  close(): Promise<void>;
}

interface PodSpec {
  readonly serviceAccountName?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly volumes?: readonly Volume[];
  readonly containers: readonly {
    readonly name: string;
    readonly image: string;
    readonly command?: readonly string[];
    readonly args?: readonly string[];
    readonly readinessProbe?: Probe;
  }[];
}

interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: number };
  readonly tcpSocket?: { readonly port: number };
}

interface Running {
  readonly object: ApiObject;
  readonly place: Place;
  readonly containers: Container[];
  mounted?: Mounted;
  ready: boolean;
  isLost: boolean;
  isEnding: boolean;
  timer?: NodeJS.Timeout;
}

const PODS = RESOURCES.find(({ plural }) => plural === 'pods') as Resource;
const FREE_MS = 20_000;
const LOOK_EVERY_MS = 50;
const LOOK_MS = 1_000;
const NODE_NAME = 'local';

export function startNode(api: KubeApi, places: Places, folder: string): Node {
  const running = new Map<string, Running>();
  const ending = new Set<Promise<void>>();
  const specOf = ({ spec }: ApiObject): PodSpec => spec as PodSpec;
  const current = (uid: string, { metadata }: ApiObject) => {
    const found = api.store.get('pods', metadata.namespace, metadata.name);
    return found?.metadata.uid === uid ? found : undefined;
  };

  const cancel = api.store.onEvent(({ plural, type, object }) => {
    if (plural !== 'pods') return;
    const { uid } = object.metadata;
    // Not within the event: what is written now would be told before it.
    if (type === 'ADDED') setImmediate(() => void begin(uid, object));
    else if (type === 'DELETED') void track(stop(uid, 0));
    else if (object.metadata.deletionTimestamp !== undefined)
      void track(stop(uid, (specOf(object).terminationGracePeriodSeconds ?? 30) * 1_000));
  });
  const track = (act: Promise<void>): Promise<void> => {
    ending.add(act);
    return act.finally(() => ending.delete(act));
  };

  async function begin(uid: string, object: ApiObject): Promise<void> {
    const { name, namespace, annotations } = object.metadata;
    const spec = specOf(object);
    const wanted = annotations?.[ADDRESS_ANNOTATION];
    // A Pod that is gone for the API server may still be ending here.
    if (wanted !== undefined) await until(`${wanted} is free`, () => places.isFree(wanted), FREE_MS);
    const place = places.open(wanted, isControlPlane(spec.containers.map(({ image }) => image)));
    const pod: Running = { object, place, containers: [], ready: false, isLost: false, isEnding: false };
    running.set(uid, pod);
    const own = join(folder, `${name}-${uid.slice(0, 8)}`);
    mkdirSync(own, { recursive: true });
    tell(uid, pod);
    const serviceAccount = spec.serviceAccountName ?? 'default';
    pod.mounted = await mountVolumes(api, { namespace, name, uid, serviceAccount }, spec.volumes ?? [], own);
    if (pod.isEnding) return;
    for (const container of spec.containers) {
      const command = place.inside(commandOf(container, { folder: own, address: place.address }));
      const logFile = join(folder, `${name}.${container.name}.log`);
      pod.containers.push(startContainer({ name: container.name, command, logFile, onRestart: () => tell(uid, pod) }));
    }
    const look = async (): Promise<void> => {
      const answers = await Promise.all(spec.containers.map(({ readinessProbe }) => answersAt(readinessProbe, place.address)));
      const ready = answers.every(Boolean);
      if (ready !== pod.ready && !pod.isEnding && !pod.isLost) {
        pod.ready = ready;
        tell(uid, pod);
      }
      if (!pod.isEnding) pod.timer = setTimeout(() => void look(), LOOK_EVERY_MS);
    };
    void look();
  }

  function tell(uid: string, pod: Running): void {
    const object = current(uid, pod.object);
    if (object === undefined || pod.isLost) return;
    const { address } = pod.place;
    api.store.put(PODS, {
      ...object,
      spec: { ...specOf(object), nodeName: NODE_NAME },
      status: {
        phase: pod.containers.length > 0 ? 'Running' : 'Pending',
        podIP: address,
        podIPs: [{ ip: address }],
        conditions: [{ type: 'Ready', status: pod.ready ? 'True' : 'False' }],
        containerStatuses: pod.containers.map(({ name, restarts }) => ({
          name,
          restartCount: restarts,
          containerID: `process://${name}-${restarts}`,
          state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
          lastState: restarts === 0 ? {} : { terminated: { exitCode: 1, containerID: `process://${name}-${restarts - 1}` } },
        })),
      },
    });
  }

  async function stop(uid: string, graceMs: number): Promise<void> {
    const pod = running.get(uid);
    if (pod === undefined || (pod.isEnding && graceMs > 0)) return;
    pod.isEnding = true;
    clearTimeout(pod.timer);
    if (pod.isLost && graceMs > 0) return;
    if (graceMs > 0 && pod.ready) {
      pod.ready = false;
      tell(uid, pod);
    }
    await Promise.all(pod.containers.map((container) => container.end(graceMs)));
    if (!running.delete(uid)) return;
    pod.place.close();
    const { namespace, name } = pod.object.metadata;
    if (current(uid, pod.object) !== undefined) api.store.remove('pods', namespace, name);
  }

  const named = (name: string): Running => {
    const found = [...running.values()].find(({ object, isEnding }) => object.metadata.name === name && !isEnding);
    if (found === undefined) throw new Error(`no Pod ${name} runs here`);
    return found;
  };

  return {
    place: (name) => named(name).place,
    container(name, container) {
      const { containers } = named(name);
      const found = container === undefined ? containers[0] : containers.find((each) => each.name === container);
      if (found === undefined) throw new Error(`Pod ${name} has no container ${container}`);
      return found;
    },
    renewTokens: async (name) => named(name).mounted?.renewTokens(),
    lose(names) {
      for (const pod of names.map(named)) {
        pod.isLost = true;
        pod.place.cut();
        for (const container of pod.containers) container.signal('SIGSTOP');
      }
    },
    find(names) {
      for (const pod of names.map(named)) {
        pod.isLost = false;
        pod.place.mend();
        for (const container of pod.containers) container.signal('SIGCONT');
      }
    },
    declareLost(names) {
      for (const pod of names.map(named)) {
        const object = current(pod.object.metadata.uid, pod.object);
        if (object === undefined) continue;
        const status = { ...(object.status as object), conditions: [{ type: 'Ready', status: 'Unknown' }] };
        api.store.put(PODS, { ...object, status });
      }
    },
    async close() {
      cancel();
      await Promise.all([...running.keys()].map((uid) => stop(uid, 0)));
      await Promise.all(ending);
    },
  };
}

function answersAt(probe: Probe | undefined, host: string): Promise<boolean> {
  if (probe?.httpGet !== undefined) {
    const { path, port } = probe.httpGet;
    return new Promise((resolve) => {
      const sent = request({ host, port, path, agent: false, timeout: LOOK_MS }, (response) => {
        response.resume();
        resolve((response.statusCode ?? 500) < 400);
      });
      sent.on('timeout', () => sent.destroy());
      sent.on('error', () => resolve(false));
      sent.on('close', () => resolve(false));
      sent.end();
    });
  }
  if (probe?.tcpSocket === undefined) return Promise.resolve(true);
  const { port } = probe.tcpSocket;
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: LOOK_MS });
    const is = (answer: boolean) => (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('connect', is(true)).on('error', is(false)).on('timeout', is(false));
  });
}
