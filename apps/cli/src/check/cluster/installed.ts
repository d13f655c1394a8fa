import { listOf, numberOf, objectOf, textOf } from '@sallyport/kube';

/** A Deployment or StatefulSet of the release. */
export interface Running {
  readonly kind: 'deployment' | 'statefulset';
  readonly name: string;
  /** Such as `driver`. */
  readonly component: string;
  readonly wanted: number;
  readonly ready: number;
}

/** A Secret or ConfigMap that Pods mount, and the files in it that they are told to read. */
export interface NeededObject {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly name: string;
  readonly keys: readonly string[];
  /** A directory of keys is read: at least one `*.jwk`. */
  readonly jwks: boolean;
  /** Its certificate is for applications: browsers see it. */
  readonly forApps: boolean;
}

export interface Installed {
  readonly running: readonly Running[];
  readonly needed: readonly NeededObject[];
  /** As the driver's container has them. Undefined: no driver is installed. */
  readonly driverArguments: readonly string[] | undefined;
  /** Of the applications, as supervisors have it. Undefined: none serves any. */
  readonly domain: string | undefined;
}

/** What a release consists of, by the objects that the chart labels; undefined: nothing of it is there. */
export function readInstalled(
  objects: readonly { readonly kind: Running['kind']; readonly object: unknown }[],
): Installed | undefined {
  if (objects.length === 0) return undefined;
  const running = objects.map(({ kind, object }) => readRunning(kind, object));
  const driver = objects.find((_each, at) => running[at]?.component === 'driver');
  const pods = objects.map(({ object }) => podOf(object));
  const needed = new Map<string, NeededObject>();
  for (const each of pods.flatMap(neededBy)) merge(needed, each);
  const [container] = driver === undefined ? [] : containersOf(podOf(driver.object));
  const domain = pods
    .flatMap(containersOf)
    .flatMap(argumentsOf)
    .find((argument) => argument.startsWith('--domain='));
  return {
    running,
    needed: [...needed.values()],
    driverArguments: container === undefined ? undefined : argumentsOf(container),
    domain: domain?.slice('--domain='.length),
  };
}

function readRunning(kind: Running['kind'], object: unknown): Running {
  const { metadata, spec, status } = objectOf(object);
  const { replicas = 1 } = objectOf(spec);
  return {
    kind,
    name: textOf(objectOf(metadata).name),
    component: textOf(objectOf(objectOf(metadata).labels)['app.kubernetes.io/component']),
    wanted: numberOf(replicas),
    ready: numberOf(objectOf(status).readyReplicas),
  };
}

const podOf = (object: unknown) => objectOf(objectOf(objectOf(objectOf(object).spec).template).spec);
const containersOf = (pod: unknown): readonly unknown[] => listOf(objectOf(pod).containers);
const argumentsOf = (container: unknown): readonly string[] => listOf(objectOf(container).args).map(textOf);

/** Arguments name files by their mount: what is named in a Secret's mount is a key that the Secret must have. */
function neededBy(pod: unknown): readonly NeededObject[] {
  return listOf(objectOf(pod).volumes).flatMap((volume) => {
    const { name, secret, configMap } = objectOf(volume);
    const object = textOf(objectOf(secret).secretName) || textOf(objectOf(configMap).name);
    if (object === '') return [];
    const read = containersOf(pod).flatMap((container) => {
      const mount = listOf(objectOf(container).volumeMounts)
        .map(objectOf)
        .find((each) => each.name === name);
      return mount === undefined ? [] : filesUnder(textOf(mount.mountPath), argumentsOf(container));
    });
    return [
      {
        kind: secret === undefined ? ('ConfigMap' as const) : ('Secret' as const),
        name: object,
        keys: read.flatMap(({ key }) => (key === '' ? [] : [key])),
        jwks: read.some(({ key }) => key === ''),
        forApps: read.some(({ flag }) => flag === '--app-cert-file'),
      },
    ];
  });
}

interface FileRead {
  readonly flag: string;
  /** Empty: keys, whatever they are called. */
  readonly key: string;
}

function filesUnder(mountPath: string, given: readonly string[]): readonly FileRead[] {
  return given.flatMap((argument) => {
    const at = argument.indexOf('=');
    const [flag, path] = [argument.slice(0, at), argument.slice(at + 1)];
    if (path.startsWith(`${mountPath}/`)) return [{ flag, key: path.slice(mountPath.length + 1) }];
    if (path !== mountPath) return [];
    return flag === '--grants-dir' ? [{ flag, key: 'grants.json' }] : [{ flag, key: '' }];
  });
}

function merge(all: Map<string, NeededObject>, each: NeededObject): void {
  const id = `${each.kind} ${each.name}`;
  const known = all.get(id) ?? each;
  all.set(id, {
    ...each,
    keys: [...new Set([...known.keys, ...each.keys])].sort(),
    jwks: known.jwks || each.jwks,
    forApps: known.forApps || each.forApps,
  });
}
