import { listOf, metaOf, numberOf, objectOf, readSlice, type Slice, textOf } from '@sallyport/kube';
import { type Finding, fails, holds } from '../finding.ts';
import { listAll } from './check-pods.ts';
import { type LookedAt, notSeen } from './looked-at.ts';

/** Whether there is a ready Pod behind each Service of the release, at the ports that it names. */
export async function checkServices(at: LookedAt): Promise<readonly Finding[]> {
  const services = await at.client.get(`/api/v1/namespaces/${encodeURIComponent(at.namespace)}/services`, {
    labelSelector: `app.kubernetes.io/part-of=sallyport,app.kubernetes.io/instance=${at.release}`,
  });
  if (!services.ok) return [notSeen('services', services.error, `list Services in namespace ${at.namespace}`, at)];
  const listed = await listAll(at, [at.namespace], { api: '/apis/discovery.k8s.io/v1', resource: 'endpointslices' });
  if (!listed.ok) return [notSeen('services', listed.error, `list EndpointSlices in namespace ${at.namespace}`, at)];
  const slices = listed.value.items.flatMap((object) => readSlice(object) ?? []);
  return listOf(objectOf(services.value).items).flatMap((service) => {
    const meta = metaOf(service);
    return meta === undefined
      ? []
      : [
          judgeService(
            service,
            slices.filter(({ service: of }) => of === meta.name),
            at,
          ),
        ];
  });
}

/** Pure. */
export function judgeService(service: unknown, slices: readonly Slice[], at: Pick<LookedAt, 'namespace'>): Finding {
  const { spec, status } = objectOf(service);
  const of = metaOf(service)?.name ?? '';
  const name = `service ${of}`;
  const { type, ports, selector } = objectOf(spec);
  const wanted = listOf(ports).map((port) => numberOf(objectOf(port).port));
  const ready = new Set(
    slices.flatMap(({ endpoints }) => endpoints.filter((each) => each.ready).map(({ podUid, ips }) => podUid || ips.join())),
  );
  if (ready.size === 0) {
    const labels = Object.entries(objectOf(selector)).map(([key, value]) => `${key}=${textOf(value)}`);
    return fails(
      name,
      `no ready Pod is behind it at port ${wanted.join(', ')}`,
      `kubectl -n ${at.namespace} get pods -l ${labels.join(',')}; their logs say what they wait for`,
    );
  }
  const behind = `${ready.size} ready Pod${ready.size === 1 ? '' : 's'} behind port ${wanted.join(', ')}`;
  if (type !== 'LoadBalancer') return holds(name, behind);
  const addresses = listOf(objectOf(objectOf(status).loadBalancer).ingress).map(
    (each) => textOf(objectOf(each).ip) || textOf(objectOf(each).hostname),
  );
  if (addresses.length === 0)
    return fails(name, `${behind}, and no balancer has an address for it yet`, 'look at its Events: kubectl describe service');
  return holds(name, `${behind}, at ${addresses.join(', ')}`);
}
