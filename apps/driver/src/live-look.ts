import { type KubeClient, type Pod, podName, QUESTION_MS, readPod, within } from '@sallyport/kube';
import { err, type Failure, failure, fenced, type Instant, later, ok, type Result } from '@sallyport/model';
import type { Clock } from '@sallyport/process';

/**
 * A look at the Pod itself before its address is first given away, and again each minute: a watch may lose an event and never
 * know, and the address may be somebody else's by now. Many questions about one Pod are one look.
 */
export interface LiveLook {
  confirm(pod: Pod): Promise<Result<void, Failure>>;
}

/** How long a look stands; milliseconds. Also how long an event that was lost can lead astray. */
export const LOOK_STANDS_MS = 60_000;
const REMEMBERED_MAX = 20_000;

export function createLiveLook(client: Pick<KubeClient, 'get'>, clock: Clock): LiveLook {
  const seen = new Map<string, { readonly ips: string; readonly until: Instant }>();
  const underWay = new Map<string, Promise<Result<void, Failure>>>();
  const ipsOf = ({ ips }: Pod): string => ips.join();

  async function look(pod: Pod): Promise<Result<void, Failure>> {
    const askedAt = clock.now();
    const { namespace, name, uid } = pod;
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
    const answer = await within(clock, QUESTION_MS, (signal) => client.get(path, {}, signal));
    if (!answer.ok && answer.error.kind !== 'missing')
      return err(failure('not-ready', `the API server does not confirm Pod ${podName(pod)}: ${answer.error.message}`));
    const live = answer.ok ? readPod(answer.value) : undefined;
    if (live === undefined || live.uid !== uid) return err(fenced('endpoint', `Pod ${podName(pod)} with the UID ${uid} is gone`));
    if (live.terminal || live.deleting || !live.ready)
      return err(fenced('endpoint', `Pod ${podName(pod)} is not ready any more`));
    if (ipsOf(live) !== ipsOf(pod)) return err(fenced('endpoint', `Pod ${podName(pod)} has another address now`));
    seen.delete(uid);
    seen.set(uid, { ips: ipsOf(pod), until: later(askedAt, LOOK_STANDS_MS) });
    if (seen.size > REMEMBERED_MAX) seen.delete(seen.keys().next().value as string);
    return ok(undefined);
  }

  return {
    confirm(pod) {
      const known = seen.get(pod.uid);
      if (known !== undefined && known.ips === ipsOf(pod) && clock.now() < known.until) return Promise.resolve(ok(undefined));
      const key = `${pod.uid} ${ipsOf(pod)}`;
      const same = underWay.get(key);
      if (same !== undefined) return same;
      const asked = look(pod).finally(() => underWay.delete(key));
      underWay.set(key, asked);
      return asked;
    },
  };
}
