import { DEFAULT_POLICY, parseServiceRef } from '@sallyport/model';
import { startDemo } from './demo/index.ts';
import type { WantedService } from './service-option.ts';

/** The demo application, as the one service of a stack that was given none. */
export async function demoService(cli: string): Promise<{ readonly service: WantedService; close(): Promise<void> }> {
  const ref = parseServiceRef('team/demo/web');
  if (!ref.ok) throw new Error(ref.error);
  const demo = await startDemo({ cli });
  return { service: { ref: ref.value, port: demo.port, policy: DEFAULT_POLICY }, close: () => demo.close() };
}
