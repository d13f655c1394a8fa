import type { InstallationWanted } from './installation.ts';
import type { Targets } from './schedule.ts';

/** Three etcds, three gateways, two shared and two dedicated supervisors, and a sandbox for each way to serve one. */
export const WORLD: InstallationWanted = {
  etcd: 3,
  gateways: 3,
  sharedSupervisors: 2,
  sandboxes: [
    { name: 'a', mode: 'shared', hasBoundary: true },
    { name: 'b', mode: 'shared', hasBoundary: true },
    { name: 'c', mode: 'shared', hasBoundary: false },
    { name: 'd', mode: 'dedicated', hasBoundary: true },
    { name: 'e', mode: 'dedicated', hasBoundary: false, delivery: 'poll' },
  ],
};

/** What of it can be broken, by name: from what is wanted, so that a plan needs nothing that runs and has one order. */
export function targetsOf({ etcd, gateways, sharedSupervisors, sandboxes }: InstallationWanted): Targets {
  const own = sandboxes.filter(({ mode }) => mode === 'dedicated');
  const numbered = (count: number, name: string): readonly string[] =>
    Array.from({ length: count }, (_, index) => `${name}${index + 1}`);
  return {
    etcd: numbered(etcd, 'm'),
    gateways: numbered(gateways, 'gateway-'),
    supervisors: [...numbered(sharedSupervisors, 'shared-'), ...own.map(({ name }) => `only-${name}`)],
    slow: own.filter(({ hasBoundary }) => !hasBoundary).map(({ name }) => `only-${name}`),
    boundaries: sandboxes.filter(({ hasBoundary }) => hasBoundary).map(({ name }) => name),
  };
}
