import { type CatalogView, followCatalog } from '@sallyport/discovery/catalog-view';
import type { SimProcess } from '../time/sim-process.ts';
import { simLog } from './sim-log.ts';
import type { Surroundings } from './surroundings.ts';

/** One life of a discovery replica: production's view of the store. */
export interface ReaderLife {
  readonly process: SimProcess;
  readonly view: CatalogView;
}

export interface ReaderNode {
  readonly place: string;
  life(): ReaderLife | undefined;
  start(): void;
  crash(): void;
}

export function createReaderNode(place: string, surroundings: Surroundings): ReaderNode {
  let life: ReaderLife | undefined;
  return {
    place,
    life: () => life,
    start() {
      if (life !== undefined) return;
      const process = surroundings.spawn(place);
      const store = surroundings.store.connect(process, place);
      const log = simLog(process, surroundings.transcript);
      life = { process, view: followCatalog({ store, clock: process.clock, log, randomId: process.randomId }) };
    },
    crash() {
      life?.process.kill();
      life = undefined;
    },
  };
}
