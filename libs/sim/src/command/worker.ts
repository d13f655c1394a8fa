// A process that runs seeds, one at a time, as it is told by its parent.
import { runSeed, type SeedOptions } from '../run-seed.ts';

process.on('message', (options: SeedOptions) => {
  void runSeed(options).then((result) => process.send?.(result));
});
process.on('disconnect', () => process.exit());
