import { type KubeStage as ApiStage, openKubeStage as openApi } from '@sallyport/kube/testing';
import type { Clock } from '@sallyport/process';
import { createLog } from '@sallyport/process';
import { createKubernetesDriver, type KubernetesDriver } from '../kubernetes-driver.ts';
import type { KubernetesOptions } from '../kubernetes-options.ts';
import { DRIVER_OPTIONS } from './kube-options.ts';

/** An API server, and drivers that observe it. */
export interface KubeStage extends ApiStage {
  driver(options?: Partial<KubernetesOptions>, given?: DriverGiven): Promise<KubernetesDriver & { close(): Promise<void> }>;
}

export interface DriverGiven {
  readonly clock?: Clock;
  readonly random?: () => number;
}

export async function openKubeStage(...given: Parameters<typeof openApi>): Promise<KubeStage> {
  const stage = await openApi(...given);
  const log = createLog({ level: 'silent' });
  const open: KubernetesDriver[] = [];
  return {
    ...stage,
    async driver(options = {}, { clock = stage.clock, random = () => 0.5 } = {}) {
      const { client, close } = await stage.connect(clock);
      const driver = createKubernetesDriver(
        { ...DRIVER_OPTIONS, ...options },
        { client, clock, log, random, unixMs: Date.now, instance: 'test' },
      );
      open.push(driver);
      return {
        ...driver,
        async close() {
          driver.stop();
          await close();
        },
      };
    },
    async close() {
      for (const driver of open) driver.stop();
      await stage.close();
    },
  };
}
