import { type Process, type Running, readAll, readProcess, run, type Source } from '@sallyport/process';
import { DEFAULT_LIMITS, watchCertificates } from '@sallyport/proxy';
import { type Sandbox, startSupervisor } from '../stage/supervisor.ts';

/** What the test tells this process; each is answered with the same `id`. */
export type Command =
  | { readonly id: number; readonly kind: 'serve'; readonly sandbox: string; readonly services: Readonly<Record<string, number>> }
  | { readonly id: number; readonly kind: 'memory' }
  | { readonly id: number; readonly kind: 'counters' };

export interface Answer {
  readonly id: number;
  /** Of the monotonic clock that all processes of the machine share, taken right before the command was carried out. */
  readonly atNs: string;
  /** Of this process, while it carried out the command; a busy machine adds nothing to it. */
  readonly cpuMs: number;
  readonly residentBytes: number;
  readonly liveStreamCount: number;
  readonly connectionCount: number;
}

/** Far above what the load needs: the limits as shipped are for one client address, and all load comes from this machine. */
const LIMITS = { streamsPerRouteMax: 10_000, connectionsPerClientMax: 10_000, connectionsPerInstanceMax: 10_000 };

const readConfig = (source: Source) =>
  readAll(source, (read) => ({
    process: readProcess(read, { adminPort: 0 }),
    certFile: read.file('cert-file', 'certificate for applications'),
    keyFile: read.file('key-file', 'its key'),
  }));

type Reading = ReturnType<typeof readConfig>;
type Config = Extract<Reading, { kind: 'read' }>['config'];

async function wire({ certFile, keyFile, process: { drainMs } }: Config, { clock, log }: Process): Promise<Running> {
  const certificates = await watchCertificates({
    pairs: [{ certFile, keyFile }],
    clock,
    onProblem: (problem) => log.error({ problem }, 'certificate not taken'),
    onSwapped: () => {},
  });
  if (!certificates.ok) throw new Error(certificates.error);
  const supervisor = await startSupervisor({ certificates: certificates.value, clock, limits: { ...DEFAULT_LIMITS, ...LIMITS } });
  const sandboxes = new Map<string, Sandbox>();

  process.on('message', (command: Command) => {
    const atNs = process.hrtime.bigint().toString();
    const usedBefore = process.cpuUsage();
    if (command.kind === 'serve') {
      const present = sandboxes.get(command.sandbox);
      if (present === undefined) sandboxes.set(command.sandbox, supervisor.sandbox(command.sandbox, command.services));
      else present.serve(command.services);
    }
    // What nobody holds is no growth.
    if (command.kind === 'memory') globalThis.gc?.();
    const used = process.cpuUsage(usedBefore);
    const answer: Answer = {
      id: command.id,
      atNs,
      cpuMs: (used.user + used.system) / 1_000,
      residentBytes: process.memoryUsage.rss(),
      liveStreamCount: supervisor.instances.all().reduce((sum, each) => sum + each.counters().liveStreamCount, 0),
      connectionCount: supervisor.listener.connectionCount(),
    };
    process.send?.(answer);
    supervisor.records.length = 0;
  });
  process.send?.({ port: supervisor.listener.port });

  return {
    ready: () => [],
    async drain(deadline) {
      await supervisor.listener.drain(deadline.aborted ? 0 : drainMs);
      await supervisor.stop();
      certificates.value.stop();
    },
  };
}

await run('supervisor', readConfig, wire);
