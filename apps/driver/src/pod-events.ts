import { type KubeClient, type Pod, podName, within } from '@sallyport/kube';
import { type Instant, later } from '@sallyport/model';
import { type Clock, type Log, sha256hex } from '@sallyport/process';
import { createTurns, type TurnLimits } from './event-turns.ts';

/** Says in the Pod's own Events what of it is not followed: `kubectl describe pod` shows it to whoever wrote the annotation. */
export interface PodEvents {
  /** What is wrong with it now; empty: nothing, and what was not said yet is not said any more. */
  report(uid: string, pod: Pod | undefined, problem: string): void;
  stop(): void;
}

/** How often one more is written, past the first ones; milliseconds. */
const REFILL_MS = 2_000;
/** Pods whose problem waits for its turn; one that has no place is heard of when it changes next. */
const TURNS: TurnLimits = { burst: 20, burstOfOne: 10, refillMs: REFILL_MS, waitingMax: 1_000 };
/** So that those that hang are never as many as there are connections, which reviews need too. */
const WRITE_MS = 5_000;
/** The same about the same Pod is said again after this; the API server forgets Events after an hour. */
const AGAIN_MS = 3_600_000;
const REMEMBERED_MAX = 10_000;
const NOTE_LENGTH_MAX = 1_024;

export interface PodEventsOptions {
  readonly client: Pick<KubeClient, 'post'>;
  readonly clock: Clock;
  readonly log: Log;
  /** RFC 3339. */
  readonly timestamp: () => string;
  readonly instance: string;
}

export function createPodEvents({ client, clock, log, timestamp, instance }: PodEventsOptions): PodEvents {
  const said = new Map<string, Instant>();
  const turns = createTurns<{ readonly pod: Pod; readonly problem: string }>(TURNS);
  let isFull = false;

  function write(pod: Pod, problem: string): void {
    const key = keyOf(pod, problem);
    said.delete(key);
    said.set(key, clock.now());
    if (said.size > REMEMBERED_MAX) said.delete(said.keys().next().value as string);
    const path = `/api/v1/namespaces/${encodeURIComponent(pod.namespace)}/events`;
    const event = eventOf(pod, problem, timestamp(), instance);
    void within(clock, WRITE_MS, (signal) => client.post(path, event, signal)).then((answer) => {
      // Another replica of the driver has said it.
      if (!answer.ok && answer.error.kind !== 'conflict')
        log.warn({ pod: podName(pod), problem, why: answer.error.message }, 'an Event could not be written');
    });
  }

  function wasSaid(pod: Pod, problem: string): boolean {
    const last = said.get(keyOf(pod, problem));
    return last !== undefined && clock.now() < later(last, AGAIN_MS);
  }

  const cancel = clock.every(REFILL_MS, () => {
    for (let next = turns.next(clock.now()); next !== undefined; next = turns.next(clock.now())) write(next.pod, next.problem);
    if (turns.waiting < TURNS.waitingMax) isFull = false;
  });

  return {
    report(uid, pod, problem) {
      if (pod === undefined || problem === '' || wasSaid(pod, problem)) return turns.forget(uid);
      const asked = turns.ask(pod.namespace, uid, { pod, problem }, clock.now());
      if (asked === 'now') write(pod, problem);
      if (asked !== 'left-out' || isFull) return;
      isFull = true;
      log.warn(
        { pod: podName(pod), problem, waiting: turns.waiting },
        'Events wait for their turn: the namespace with most is not heard',
      );
    },
    stop: cancel,
  };
}

const keyOf = (pod: Pod, problem: string): string => `${pod.uid} ${problem}`;

/** Its name follows from what it says, so that replicas of the driver say it once. */
export function eventOf(pod: Pod, problem: string, at: string, instance: string): unknown {
  const digest = sha256hex(`${pod.uid} ${problem} ${at.slice(0, 13)}`).slice(0, 16);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    // Each part of a name begins and ends with a letter or digit, wherever it is cut.
    metadata: { name: `${pod.name.slice(0, 200).replace(/[.-]+$/, '')}.${digest}`, namespace: pod.namespace },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: pod.namespace, name: pod.name, uid: pod.uid },
    type: 'Warning',
    reason: 'SallyportDeclaration',
    message: problem.slice(0, NOTE_LENGTH_MAX),
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
    source: { component: 'sallyport-driver' },
    reportingComponent: 'sallyport.dev/driver',
    reportingInstance: instance.slice(0, 128),
  };
}
