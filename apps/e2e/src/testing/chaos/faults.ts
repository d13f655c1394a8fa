import type { TestMember } from '@sallyport/store/testing/etcd';
import type { AppProcess } from '../../authority/rig/app-process.ts';
import { startAgain } from '../../authority/rig/start-again.ts';
import { type Done, nowMs } from './evidence.ts';
import type { Installation } from './installation.ts';
import type { Ways } from './network.ts';
import type { Fault } from './schedule.ts';

/** How one fault is begun and ended. */
interface Act {
  begin(): unknown;
  /** Resolves when it is as before: a process that is started again has said that it listens. */
  end(): unknown;
}

/** Does one fault, and says when it really began and ended. `began` is told at once, for who judges meanwhile. */
export async function commit(installation: Installation, fault: Fault, sinceMs: number): Promise<Done> {
  const act = actOf(installation, fault);
  const startedAt = nowMs();
  await act.begin();
  await new Promise((done) => setTimeout(done, Math.max(0, fault.forMs - (nowMs() - startedAt))));
  const ending = nowMs();
  await act.end();
  const { number, kind, target } = fault;
  // A process that was stopped runs from this very moment; one that was started again is back when it says so.
  const healedAt = kind.endsWith('-stopped') ? ending : nowMs();
  return { number, kind, target, plannedAt: sinceMs + fault.at, startedAt, healedAt };
}

interface Stoppable {
  kill(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  start(): Promise<void>;
}

const killed = (what: Stoppable): Act => ({ begin: () => what.kill(), end: () => startAgain(what) });
const stopped = (what: Stoppable): Act => ({ begin: () => what.signal('SIGSTOP'), end: () => what.signal('SIGCONT') });
const drained = (what: AppProcess, start: () => Promise<void>): Act => ({
  begin: () => what.end(),
  end: () => startAgain({ start }),
});
const cut = (ways: Ways): Act => ({ begin: () => ways.cut(), end: () => ways.heal() });
const silent = (ways: Ways): Act => ({ begin: () => ways.silence(), end: () => ways.heal() });
const SLOW_MS = 250;
const slow = (ways: Ways): Act => ({ begin: () => ways.slow(SLOW_MS), end: () => ways.heal() });

function actOf(installation: Installation, { kind, target }: Fault): Act {
  const { etcd, network } = installation;
  const named =
    (...names: readonly string[]) =>
    (name: string): boolean =>
      names.includes(name);
  const all = (): boolean => true;
  const member = (): TestMember => found(etcd.members, target);
  const gateway = (): AppProcess => found(installation.gateways, target);
  const supervisor = () => {
    const { process, start } = found([...installation.supervisors.values()], target);
    return { process, start, stoppable: { kill: process.kill, signal: process.signal, start } };
  };
  const boundary = (): AppProcess => found(installation.sandboxes, target).boundary as AppProcess;
  const isMember = named(...etcd.members.map(({ name }) => name));
  const isGateway = named(...installation.gateways.map(({ name }) => name));
  const toStore = (): Ways => network.between(named(target), isMember);
  const toGateways = (): Ways => network.between(named(target), isGateway);
  switch (kind) {
    case 'etcd-killed':
      return killed(member());
    case 'etcd-stopped':
      return stopped(member());
    case 'etcd-quorum-killed': {
      const two = etcd.members.slice(0, 2);
      return {
        begin: () => Promise.all(two.map((each) => each.kill())),
        end: () => Promise.all(two.map((each) => startAgain(each))),
      };
    }
    case 'gateway-killed':
      return killed(gateway());
    case 'gateway-stopped':
      return stopped(gateway());
    case 'gateway-cut-from-store':
      return cut(toStore());
    case 'gateway-silent-to-store':
      return silent(toStore());
    case 'gateway-slow-to-store':
      return slow(toStore());
    case 'supervisor-killed':
      return killed(supervisor().stoppable);
    case 'supervisor-stopped':
      return stopped(supervisor().stoppable);
    case 'supervisor-drained':
      return drained(supervisor().process, supervisor().start);
    case 'supervisor-cut-from-gateways':
      return cut(toGateways());
    case 'supervisor-silent-to-gateways':
      return silent(toGateways());
    case 'supervisor-slow-to-gateways':
      return slow(toGateways());
    case 'boundary-killed':
      return killed(boundary());
    case 'boundary-stopped':
      return stopped(boundary());
    case 'boundary-silent':
      return silent(network.between(all, named(target)));
    case 'driver-killed':
      return killed(installation.driver);
    case 'driver-stopped':
      return stopped(installation.driver);
    case 'discovery-killed':
      return killed(installation.discovery);
    case 'discovery-stopped':
      return stopped(installation.discovery);
  }
}

function found<T extends { readonly name: string }>(all: readonly T[], name: string): T {
  const it = all.find((each) => each.name === name);
  if (it === undefined) throw new Error(`there is no ${name}`);
  return it;
}
