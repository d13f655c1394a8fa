import { run } from '@sallyport/process';
import { openStore } from '@sallyport/view/open-store';
import { readConfig } from './config.ts';
import { wire } from './wire.ts';

await run('gateway', readConfig, async (config, process) => {
  const store = await openStore(config.store, process.clock, process.log);
  const running = await wire(config, process, { store });
  return {
    ...running,
    async drain(deadline) {
      await running.drain(deadline);
      await store.close();
    },
  };
});
