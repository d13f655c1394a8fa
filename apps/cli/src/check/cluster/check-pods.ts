import { listOf, objectOf, type Trouble, textOf } from '@sallyport/kube';
import { ok, type Result } from '@sallyport/model';
import { type Finding, fails, skipped } from '../finding.ts';
import type { DriverSettings } from './driver-settings.ts';
import { judgePods, unobserved } from './judge-pods.ts';
import { type LookedAt, notSeen, pathIn } from './looked-at.ts';

const PAGE = 500;
/** 10,000 objects of a kind and namespace; what is past that is said to be left out. */
const PAGES_MAX = 20;
const NAMED_MAX = 4;
const SLICES = '/apis/discovery.k8s.io/v1';

/** What Pods say of themselves, and whether supervisors would be reached: as the driver with these settings sees it. */
export async function checkPods(at: LookedAt, settings: DriverSettings): Promise<readonly Finding[]> {
  const pods = await listAll(at, settings.namespaces, { api: '/api/v1', resource: 'pods' });
  if (!pods.ok) return [notSeen('pods', pods.error, `list Pods ${whereOf(settings)}`, at)];
  const slices = settings.endpointSlices
    ? await listAll(at, settings.namespaces, { api: SLICES, resource: 'endpointslices' })
    : ok({ items: [], isWhole: true });
  if (!slices.ok) return [notSeen('pods', slices.error, `list EndpointSlices ${whereOf(settings)}`, at)];
  const findings = judgePods({ pods: pods.value.items, slices: slices.value.items }, settings);
  const rest =
    pods.value.isWhole && slices.value.isWhole
      ? []
      : [skipped('more pods', `only the first ${PAGE * PAGES_MAX} were looked at`, 'look at one namespace: --namespace NAME')];
  return [...findings, ...rest, ...(await elsewhere(at, settings))];
}

/** A label where no driver looks does nothing, and nobody says so. */
async function elsewhere(at: LookedAt, settings: DriverSettings): Promise<readonly Finding[]> {
  if (settings.namespaces.length === 0) return [];
  const asked = await at.client.get('/api/v1/pods', { labelSelector: 'sallyport.dev/sandbox', limit: PAGE });
  // Whoever may not list all Pods has lost nothing but this.
  if (!asked.ok) return [];
  const names = unobserved(listOf(objectOf(asked.value).items), settings);
  if (names.length === 0) return [];
  const shown = names.slice(0, NAMED_MAX).join(', ') + (names.length > NAMED_MAX ? ', …' : '');
  const next = 'name their namespace in workloads.namespaces (or another installation observes them)';
  return [fails('pods elsewhere', `${names.length} in namespaces that the driver does not observe: ${shown}`, next)];
}

export interface Listed {
  readonly items: readonly unknown[];
  readonly isWhole: boolean;
}

/** Page by page, of each namespace or of all. */
export async function listAll(
  { client }: Pick<LookedAt, 'client'>,
  namespaces: readonly string[],
  { api, resource }: { readonly api: string; readonly resource: string },
): Promise<Result<Listed, Trouble>> {
  const paths =
    namespaces.length === 0 ? [`${api}/${resource}`] : namespaces.map((namespace) => pathIn(namespace, resource, api));
  const items: unknown[] = [];
  let isWhole = true;
  for (const path of paths) {
    let next: string | undefined;
    for (let page = 0; page === 0 || next !== undefined; page += 1) {
      if (page === PAGES_MAX) {
        isWhole = false;
        break;
      }
      const answer = await client.get(path, { limit: PAGE, continue: next });
      if (!answer.ok) return answer;
      const list = objectOf(answer.value);
      items.push(...listOf(list.items));
      next = textOf(objectOf(list.metadata).continue) || undefined;
    }
  }
  return ok({ items, isWhole });
}

const whereOf = ({ namespaces }: DriverSettings): string =>
  namespaces.length === 0 ? 'in the whole cluster' : `in ${namespaces.slice(0, NAMED_MAX).join(', ')}`;
