import { type ChildProcess, spawn } from 'node:child_process';
import type { Address } from '@sallyport/process';
import { connectApi } from './api.ts';
import { type Cluster, type ClusterWays, createCluster } from './cluster.ts';
import { serviceManifest } from './manifest.ts';

/** A cluster of yours, as `npm run e2e -- --kubeconfig FILE …` names it. */
export interface KubeconfigOptions {
  readonly kubeconfig: string;
  /** Is there already; everything that is made in it is removed again. */
  readonly namespace: string;
  /** Of our apps, with `{app}` in the place of the name. */
  readonly images: string;
  readonly etcdImage: string;
  readonly nodeImage: string;
}

/** From the environment that tools/e2e.mjs makes of its flags; undefined: there is none. */
export function kubeconfigOptions(env: Readonly<Record<string, string | undefined>>): KubeconfigOptions | undefined {
  const kubeconfig = env.SALLYPORT_E2E_KUBECONFIG;
  if (kubeconfig === undefined) return undefined;
  return {
    kubeconfig,
    namespace: env.SALLYPORT_E2E_NAMESPACE ?? 'sallyport-e2e',
    images: env.SALLYPORT_E2E_IMAGES ?? 'sallyport/{app}:latest',
    etcdImage: env.SALLYPORT_E2E_ETCD_IMAGE ?? 'etcd:3.6.11',
    nodeImage: env.SALLYPORT_E2E_NODE_IMAGE ?? 'node:24',
  };
}

/**
 * Everything by kubectl, which has whatever way in the kubeconfig names: `proxy` for the API, `port-forward` for a port of a Pod,
 * `exec` for programs in one.
 */
export async function openKubeconfigCluster(options: KubeconfigOptions): Promise<Cluster> {
  const { kubeconfig, namespace, images, etcdImage, nodeImage } = options;
  const children: ChildProcess[] = [];
  const forwards = new Map<string, Promise<Address>>();
  const kubectl = (...args: string[]): ChildProcess => {
    const child = spawn('kubectl', [`--kubeconfig=${kubeconfig}`, `--namespace=${namespace}`, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    children.push(child);
    return child;
  };
  const proxy = await addressIn(kubectl('proxy', '--port=0'), /on (127\.0\.0\.1):(\d+)/);
  const api = connectApi({ url: `http://${proxy.host}:${proxy.port}` });
  const services: string[] = [];

  const ways: ClusterWays = {
    api,
    namespace,
    apiServer: 'https://kubernetes.default.svc',
    image: (app) => (app === 'etcd' ? etcdImage : app === 'node' ? nodeImage : images.replaceAll('{app}', app)),
    async fixed(app, ports) {
      const path = `/api/v1/namespaces/${namespace}/services`;
      if (!services.includes(app)) await api.create(path, serviceManifest(app, { app }, ports));
      services.push(app);
      return { host: `${app}.${namespace}.svc`, address: undefined };
    },
    reach(pod, port) {
      const key = `${pod.name} ${pod.uid} ${port}`;
      const known =
        forwards.get(key) ?? addressIn(kubectl('port-forward', `pod/${pod.name}`, `:${port}`), /from (127\.0\.0\.1):(\d+)/);
      forwards.set(key, known);
      return known;
    },
    exec: (pod, command) => kubectl('exec', '-i', pod.name, '--', ...command),
    local: undefined,
    async close() {
      for (const name of new Set(services))
        await api.remove(`/api/v1/namespaces/${namespace}/services/${name}`).catch(() => undefined);
      api.close();
      for (const child of children) child.kill();
    },
  };
  return createCluster(ways);
}

/** What kubectl says on its first line. */
function addressIn(child: ChildProcess, pattern: RegExp): Promise<Address> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const [, host, port] = pattern.exec(text) ?? [];
      if (host !== undefined) resolve({ host, port: Number(port) });
    });
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`kubectl ended with ${code}: ${text}`)));
  });
}
