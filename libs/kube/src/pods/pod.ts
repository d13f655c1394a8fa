import { isIP } from 'node:net';
import type { Tracked } from '../api/cache.ts';
import { listOf, metaOf, numberOf, objectOf, textOf, textsOf } from '../api/objects.ts';

/** Labels and annotations of ours begin so. */
export const PREFIX = 'sallyport.dev/';
/** All that a Pod can say; nothing else of it is held. */
const NAMES = [
  'workspace',
  'sandbox',
  'services',
  'mode',
  'pool',
  'host',
  'origin',
  'cookies',
  'boundary',
  'supervises',
  'service',
  'supervisor-container',
];
/** More than any declaration needs. Annotations may have 256 KiB, and one who makes many such Pods must not fill our memory. */
export const TEXT_LENGTH_MAX = 16_384;
/** One for all texts that are longer: no reader takes it. */
const TOO_LONG = ' '.repeat(TEXT_LENGTH_MAX + 1);

/** What of a Pod matters here; thousands of them are held. */
export interface Pod extends Tracked {
  readonly namespace: string;
  readonly name: string;
  /** Ours alone, without the prefix. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly serviceAccount: string;
  /** Of the agents.x-k8s.io Sandbox that made it. */
  readonly sandboxOwner: string | undefined;
  readonly deleting: boolean;
  /** Will never run again: its address may be somebody else's already. */
  readonly terminal: boolean;
  readonly ready: boolean;
  readonly hostNetwork: boolean;
  readonly ips: readonly string[];
  readonly containers: readonly Container[];
}

export interface Container {
  readonly name: string;
  readonly restartCount: number;
  readonly running: boolean;
  /** The instance before this one is known to have ended. */
  readonly predecessorEnded: boolean;
}

/** Undefined: no Pod. */
export function readPod(object: unknown): Pod | undefined {
  const meta = metaOf(object);
  if (meta === undefined) return undefined;
  const { metadata, spec, status } = objectOf(object);
  const { labels, annotations, ownerReferences, deletionTimestamp } = objectOf(metadata);
  const { serviceAccountName, hostNetwork } = objectOf(spec);
  const { phase, conditions, podIP, podIPs, containerStatuses, initContainerStatuses } = objectOf(status);
  const ips = listOf(podIPs).map((entry) => textOf(objectOf(entry).ip));
  return {
    ...meta,
    labels: ours(labels),
    annotations: ours(annotations),
    serviceAccount: textOf(serviceAccountName) || 'default',
    sandboxOwner: sandboxOwner(ownerReferences),
    deleting: textOf(deletionTimestamp) !== '',
    terminal: phase === 'Succeeded' || phase === 'Failed',
    ready: listOf(conditions)
      .map(objectOf)
      .some(({ type, status }) => type === 'Ready' && status === 'True'),
    hostNetwork: hostNetwork === true,
    ips: (ips.length > 0 ? ips : [textOf(podIP)]).filter((ip) => isIP(ip) !== 0),
    containers: [...listOf(containerStatuses), ...listOf(initContainerStatuses)].map(readContainer),
  };
}

const ours = (texts: unknown): Readonly<Record<string, string>> =>
  textsOf(texts, { prefix: PREFIX, names: NAMES, shorten: (text) => (text.length > TEXT_LENGTH_MAX ? TOO_LONG : text) });

/** Of any version: the group and the kind say what it is. */
function sandboxOwner(references: unknown): string | undefined {
  const owner = listOf(references)
    .map(objectOf)
    .find(({ apiVersion, kind }) => textOf(apiVersion).startsWith('agents.x-k8s.io/') && kind === 'Sandbox');
  return textOf(owner?.name) || undefined;
}

function readContainer(status: unknown): Container {
  const { name, restartCount, state, lastState } = objectOf(status);
  return {
    name: textOf(name),
    restartCount: numberOf(restartCount),
    running: objectOf(state).running !== undefined,
    predecessorEnded: objectOf(lastState).terminated !== undefined,
  };
}

export const podName = ({ namespace, name }: Pick<Pod, 'namespace' | 'name'>): string => `${namespace}/${name}`;
