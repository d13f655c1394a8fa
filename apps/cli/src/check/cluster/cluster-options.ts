import { resolve } from 'node:path';
import { err, ok, type Result } from '@sallyport/model';
import type { Input, Option } from '../../command.ts';
import { misused, type Trouble } from '../../trouble.ts';
import type { ClusterChecked } from './check-cluster.ts';

export const CLUSTER_OPTIONS: readonly Option[] = [
  {
    name: 'kubeconfig',
    placeholder: 'FILE',
    meaning: 'Look at this Kubernetes cluster too, as its user. Exec plugins are not run.',
  },
  { name: 'context', placeholder: 'NAME', meaning: 'Context of the kubeconfig, instead of its current one.' },
  { name: 'in-cluster', meaning: 'Look at the cluster that this runs in, as its Pod.' },
  { name: 'namespace', placeholder: 'NAME', meaning: 'Namespace of the Helm release; sallyport unless given.' },
  { name: 'release', placeholder: 'NAME', meaning: 'Name of the Helm release; sallyport unless given.' },
];

export type ClusterAsked = Omit<ClusterChecked, 'nowMs'>;

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Undefined: no cluster is to be looked at. */
export function readClusterAsked(
  input: Pick<Input, 'option' | 'flag' | 'env' | 'cwd'>,
): Result<ClusterAsked | undefined, Trouble> {
  const [path, context] = [input.option('kubeconfig'), input.option('context')];
  const inCluster = input.flag('in-cluster');
  const names = { namespace: input.option('namespace') ?? 'sallyport', release: input.option('release') ?? 'sallyport' };
  if (path === undefined && context !== undefined) return err(misused('--context needs --kubeconfig'));
  if (path !== undefined && inCluster) return err(misused('--kubeconfig and --in-cluster exclude each other'));
  for (const name of ['namespace', 'release'] as const) {
    if (input.option(name) !== undefined && path === undefined && !inCluster)
      return err(misused(`--${name} needs --kubeconfig or --in-cluster`));
    if (!NAME.test(names[name])) return err(misused(`--${name}: ${JSON.stringify(names[name])} is no such name`));
  }
  if (inCluster) return ok({ at: { kind: 'in-cluster', env: input.env }, ...names });
  return ok(path === undefined ? undefined : { at: { kind: 'kubeconfig', path: resolve(input.cwd, path), context }, ...names });
}
