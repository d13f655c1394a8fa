import { formatAddress } from '@sallyport/model';
import type { Config } from '../config.ts';
import { bound, type Child } from './child.ts';

/** One sandbox of the stack, as the driver's file has it. */
export interface FleetWorkload {
  readonly workspace: string;
  readonly sandbox: string;
  readonly runtimeId: string;
  readonly boundaryAddress?: string;
}

/** The sandboxes that are named at the start, each with a boundary of its own if that is wanted. */
export async function workloadsOf(
  { services, boundaries }: Pick<Config, 'services' | 'boundaries'>,
  randomId: () => string,
  startBoundary: (name: string, runtimeId: string) => Promise<Child>,
): Promise<readonly FleetWorkload[]> {
  const refs = services.length === 0 ? [{ workspace: 'team', sandbox: 'demo' }] : services.map(({ ref }) => ref);
  const named = new Map(refs.map(({ workspace, sandbox }) => [`${workspace}/${sandbox}`, { workspace, sandbox }]));
  return Promise.all(
    [...named.values()].map(async (ref, index) => {
      const workload = { ...ref, runtimeId: `local-${randomId()}` };
      if (!boundaries) return workload;
      const child = await startBoundary(`boundary-${index + 1}`, workload.runtimeId);
      return { ...workload, boundaryAddress: formatAddress(bound(child, 'boundary')) };
    }),
  );
}
