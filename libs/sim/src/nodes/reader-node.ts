import type { Sent } from '@sallyport/catalog';
import { type CatalogView, followCatalog } from '@sallyport/discovery/catalog-view';
import {
  createAdmission,
  createGrantWatchers,
  createReaders,
  createResumeTokens,
  createSnapshotLine,
  createUrls,
  serveWatch,
  type WatchOptions,
} from '@sallyport/discovery/served';
import { type Failure, ok, type Result } from '@sallyport/model';
import type { discoveryV1, PublishedRecord, Stream } from '@sallyport/wire';
import type { SimProcess } from '../time/sim-process.ts';
import { simLog } from './sim-log.ts';
import type { Surroundings } from './surroundings.ts';

/** One life of a discovery replica: production's view of the store, and production's end of each watch. */
export interface ReaderLife {
  readonly process: SimProcess;
  readonly view: CatalogView;
  /** A credential is the name of who shows it. */
  serve(stream: Stream<Sent<PublishedRecord>, discoveryV1.WatchRequest>, bearer: string): Promise<Result<void, Failure>>;
}

export interface ReaderNode {
  readonly place: string;
  life(): ReaderLife | undefined;
  start(): void;
  crash(): void;
}

/** Few bytes, so that slow consumers come to their end here. */
const BACKLOG_BYTES_MAX = 1_500;
const LIMITS = { streamsMax: 10, opensPerSecondMax: 10 };
const URL_PORT = 443;

export function createReaderNode(place: string, surroundings: Surroundings): ReaderNode {
  let life: ReaderLife | undefined;

  function begin(): ReaderLife {
    const process = surroundings.spawn(place);
    const { clock, unixMs, randomId } = process;
    const store = surroundings.store.connect(process, place);
    const view = followCatalog({ store, clock, log: simLog(process, surroundings.transcript), randomId });
    const { world } = view;
    const options: WatchOptions = {
      view,
      readers: createReaders({
        world,
        fileGrant: () => undefined,
        verify: async (token) =>
          ok({ principal: token, workspaces: 'all', needsGrant: true, expiresAtUnixMs: Number.MAX_SAFE_INTEGER }),
      }),
      admission: createAdmission(LIMITS),
      line: createSnapshotLine({ clock, nextTurn: (act) => void clock.at(clock.now(), act) }),
      tokens: createResumeTokens(() => world.generation?.value),
      clock,
      unixMs,
      urls: createUrls(() => URL_PORT),
      metrics: {
        resynced: (reason) => {
          surroundings.coverage['streams begun anew'] += 1;
          surroundings.transcript.say('detail', process.name, `begins a stream anew: ${reason}`);
        },
        follows: () => () => undefined,
        close: () => undefined,
      },
      backlogBytesMax: BACKLOG_BYTES_MAX,
      grantFiles: createGrantWatchers(),
    };
    const caller = (bearer: string) => ({ peer: undefined, bearer, address: 'sim', signal: new AbortController().signal });
    return { process, view, serve: (stream, bearer) => serveWatch(stream, caller(bearer), options) };
  }

  return {
    place,
    life: () => life,
    start() {
      life ??= begin();
    },
    crash() {
      life?.process.kill();
      life = undefined;
    },
  };
}
