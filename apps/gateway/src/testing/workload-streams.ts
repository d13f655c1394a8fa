import { driverV1, supervisorV1 } from '@sallyport/wire';
import type { WorkloadStream } from '../workload-events.ts';

export interface WorkloadShape {
  readonly runtimeId?: string;
  /** `web=80,api=90` */
  readonly services?: string;
  readonly mode?: 'dedicated' | 'shared';
  readonly pool?: string;
  readonly problem?: string;
}

/** A driver as its gateways hear it: every stream begins with all there is. */
export function createWorkloadStreams() {
  const workloads = new Map<string, driverV1.Workload>();
  const streams = new Set<ReturnType<typeof createStream>>();
  let up = true;
  let synced = true;
  const say = (event: driverV1.WatchSandboxesResponse['event']): void => {
    for (const stream of streams) stream.push({ event });
  };

  return {
    watch(): WorkloadStream {
      const own = createStream(() => void streams.delete(own));
      if (!up) {
        own.end();
        return own.stream;
      }
      streams.add(own);
      for (const value of workloads.values()) own.push({ event: { $case: 'upserted', value } });
      if (synced) own.push({ event: { $case: 'synced', value: {} } });
      return own.stream;
    },
    put(name: string, shape: WorkloadShape = {}): void {
      const value = workloadOf(name, shape);
      workloads.set(name, value);
      say({ $case: 'upserted', value });
    },
    remove(name: string): void {
      const { workspace = '', sandbox = '', runtimeId = '' } = workloads.get(name) ?? {};
      workloads.delete(name);
      say({ $case: 'removed', value: { workspace, sandbox, runtimeId } });
    },
    /** What no driver of ours would send. */
    raw: say,
    away(forgets = false): void {
      up = false;
      if (forgets) workloads.clear();
      for (const stream of [...streams]) stream.end();
      streams.clear();
    },
    back(options: { readonly synced?: boolean } = {}): void {
      up = true;
      synced = options.synced ?? true;
    },
    get count() {
      return streams.size;
    },
  };
}

export function workloadOf(
  name: string,
  { runtimeId = 'r1', services = 'web=80', mode, pool = '', problem = '' }: WorkloadShape,
) {
  const [workspace = '', sandbox = ''] = name.split('/');
  const { MODE_DEDICATED, MODE_SHARED, MODE_UNSPECIFIED } = supervisorV1.Mode;
  return driverV1.Workload.create({
    workspace,
    sandbox,
    runtimeId,
    ready: true,
    services: services
      .split(',')
      .filter((each) => each !== '')
      .map((each) => ({ service: each.split('=')[0] ?? '', port: Number(each.split('=')[1]) })),
    mode: mode === undefined ? MODE_UNSPECIFIED : mode === 'dedicated' ? MODE_DEDICATED : MODE_SHARED,
    poolId: pool,
    dedicatedPoolId: `dedicated:${workspace}:${sandbox}`,
    problem,
  });
}

function createStream(onEnd: () => void) {
  const queue: driverV1.WatchSandboxesResponse[] = [];
  let wake: () => void = () => undefined;
  let over = false;
  const controller = new AbortController();
  const closed = Promise.withResolvers<{ kind: 'not-ready'; message: string } | undefined>();
  async function* received() {
    for (;;) {
      const next = queue.shift();
      if (next !== undefined) yield next;
      else if (over) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  function end(): void {
    over = true;
    onEnd();
    closed.resolve({ kind: 'not-ready', message: 'away' });
    controller.abort();
    wake();
  }
  const stream: WorkloadStream = {
    send: () => false,
    drained: async () => undefined,
    end,
    fail: end,
    received: { [Symbol.asyncIterator]: received },
    signal: controller.signal,
    closed: closed.promise,
  };
  return {
    stream,
    end,
    push(message: driverV1.WatchSandboxesResponse) {
      queue.push(message);
      wake();
    },
  };
}
