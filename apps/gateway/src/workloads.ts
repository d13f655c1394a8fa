import { nameKey as worldNameKey } from '@sallyport/authority';
import type { Instant } from '@sallyport/model';
import { later, type SandboxName, type WorkspaceId } from '@sallyport/model';
import { backoffMs, type Cancel, type Clock, type Log, wait } from '@sallyport/process';
import type { SandboxRef } from './declarations.ts';
import { type ReconcileOptions, reconcileWorkload, type Wish } from './reconcile-workload.ts';
import { type FollowedWorkload, readWorkloadEvent, type WorkloadStream } from './workload-events.ts';
import { createWorkloadProblems, type WorkloadProblems } from './workload-problems.ts';

/** Follows what workloads declare themselves: label a Pod, get a URL. Every replica does so. */
export interface FollowedWorkloads {
  /** The driver has told everything, and its watch is open. */
  synced(): boolean;
  /** Nothing is left to do. */
  settled(): boolean;
  readonly problems: Pick<WorkloadProblems, 'shown'>;
  stop(): void;
}

export interface WorkloadsOptions extends ReconcileOptions {
  readonly watch: () => WorkloadStream;
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to 1. */
  readonly random?: () => number;
}

const AGAIN = { baseMs: 200, maxMs: 5_000 } as const;
const RETRY = { baseMs: 500, maxMs: 30_000 } as const;
/** Sandboxes worked on at once. */
const WORKERS_MAX = 8;
/** Records may be changed by others: everything is looked at again this often, which writes nothing where nothing differs. */
const LOOK_AGAIN_MS = 60_000;
/** How long a sandbox outlives its workload: a Pod that is made again is another life of the same sandbox. */
export const FORGET_MS = 600_000;

export function followWorkloads({ watch, clock, log, random = Math.random, ...options }: WorkloadsOptions): FollowedWorkloads {
  const stopped = new AbortController();
  const wanted = new Map<string, FollowedWorkload>();
  const dirty = new Set<string>();
  const busy = new Set<string>();
  const failures = new Map<string, number>();
  const said = new Map<string, string>();
  const problems = createWorkloadProblems();
  const awaySince = new Map<string, Instant>();
  let retries = new Map<string, Cancel>();
  let synced = false;
  let stream: WorkloadStream | undefined;

  /** One life of the watch. What it told counts only while it is open: a driver that is away says nothing about any workload. */
  async function once(): Promise<boolean> {
    const own = watch();
    stream = own;
    wanted.clear();
    for await (const message of own.received) {
      const event = readWorkloadEvent(message);
      if (!event.ok) log.error({ problem: event.error.message }, 'a workload cannot be followed');
      else if (event.value.kind === 'synced') begin();
      else if (event.value.kind === 'removed') change(event.value.ref, undefined);
      else change(event.value.workload, event.value.workload);
    }
    const told = synced;
    synced = false;
    dirty.clear();
    // Time during which nobody could have told us of it is no absence.
    awaySince.clear();
    for (const cancel of retries.values()) cancel();
    retries = new Map();
    const why = await own.closed;
    if (!stopped.signal.aborted) log.warn({ why: why?.message }, 'the driver tells of no workloads; what is declared stays');
    return told;
  }

  async function run(): Promise<void> {
    let attempt = 0;
    while (!stopped.signal.aborted) {
      attempt = (await once()) ? 0 : attempt + 1;
      await wait(clock, backoffMs(attempt, random(), AGAIN), stopped.signal);
    }
  }

  function change(ref: SandboxRef, workload: FollowedWorkload | undefined): void {
    const name = worldNameKey(ref.workspace, ref.sandbox);
    if (workload === undefined) wanted.delete(name);
    else wanted.set(name, workload);
    failures.delete(name);
    note(name, workload?.problem ?? '');
    look(name);
  }

  function begin(): void {
    synced = true;
    problems.keep((name) => wanted.has(name));
    lookAtAll();
  }

  /** All that is told of, and all that was ever declared by a workload. */
  function lookAtAll(): void {
    for (const name of wanted.keys()) look(name);
    for (const { value } of options.world.configs.values())
      if (value.followed !== undefined) look(worldNameKey(value.workspace, value.sandbox));
  }

  function look(name: string): void {
    if (!synced) return;
    dirty.add(name);
    work();
  }

  function work(): void {
    for (const name of dirty) {
      if (busy.size >= WORKERS_MAX) return;
      // It is looked at again when what is under way has ended: never two at once for one.
      if (busy.has(name)) continue;
      dirty.delete(name);
      busy.add(name);
      void settle(name).finally(() => {
        busy.delete(name);
        work();
      });
    }
  }

  function wishOf(name: string): Wish {
    const workload = wanted.get(name);
    if (workload !== undefined) {
      awaySince.delete(name);
      return { kind: 'follow', workload };
    }
    const since = awaySince.get(name) ?? clock.now();
    awaySince.set(name, since);
    return { kind: clock.now() >= later(since, FORGET_MS) ? 'forget' : 'withdraw' };
  }

  async function settle(name: string): Promise<void> {
    const wish = wishOf(name);
    const outcome = await reconcileWorkload(refOf(name), wish, options);
    if (outcome.ok) {
      if (wish.kind === 'forget') awaySince.delete(name);
      failures.delete(name);
      note(name, [wanted.get(name)?.problem ?? '', ...outcome.value].filter(Boolean).join('; '));
      return;
    }
    note(name, outcome.error.message);
    const attempt = failures.get(name) ?? 0;
    failures.set(name, attempt + 1);
    retry(name, later(clock.now(), backoffMs(attempt, random(), RETRY)));
  }

  function retry(name: string, at: Instant): void {
    retries.get(name)?.();
    retries.set(
      name,
      clock.at(at, () => {
        retries.delete(name);
        look(name);
      }),
    );
  }

  function note(name: string, problem: string): void {
    problems.note(name, refOf(name), wanted.has(name) ? problem : '');
    tell(name, problem);
  }

  /** Once for each thing that is wrong. */
  function tell(name: string, problem: string): void {
    if (problem === '' || said.get(name) === problem) {
      if (problem === '') said.delete(name);
      return;
    }
    said.set(name, problem);
    log.warn({ sandbox: name, problem }, 'a workload is not followed in all it declares');
  }

  const cancelLook = clock.every(LOOK_AGAIN_MS, () => synced && lookAtAll());
  const running = run();
  running.catch((error: unknown) => log.error({ err: error }, 'workloads are followed no more'));
  return {
    synced: () => synced,
    problems,
    settled: () => synced && dirty.size === 0 && busy.size === 0 && retries.size === 0,
    stop() {
      stopped.abort();
      cancelLook();
      synced = false;
      for (const cancel of retries.values()) cancel();
      stream?.fail({ kind: 'not-ready', message: 'this gateway stops' });
    },
  };
}

function refOf(name: string): SandboxRef {
  const [workspace, sandbox] = name.split('/');
  return { workspace: workspace as WorkspaceId, sandbox: sandbox as SandboxName };
}
