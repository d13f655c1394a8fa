import { createFollower } from '@sallyport/catalog';
import { type Instant, normaliseHost } from '@sallyport/model';
import { fuzzCase, NAMES } from '@sallyport/tls-hello/testing';
import type { PublishedRecord } from '@sallyport/wire';
import { createPublished } from '../../published.ts';
import { recordOf } from '../records.ts';

/** What a stretch of seeds came to. */
export interface Tally {
  readonly outcomes: Map<string, number>;
  /** Seeds at which the reader and the meaning differ, or a record of another host was found. */
  readonly faults: string[];
}

const NOW = 0 as Instant;
export const FAULTS_MAX = 20;
/** Half of the names that are asked for are served. */
export const SERVED = NAMES.filter((_name, index) => index % 2 === 0).map(normaliseHost);

/** Reads the hellos of these seeds, and looks for where each goes, as the edge does. */
export function fuzzRouting(from: number, to: number): Tally {
  const follower = createFollower<PublishedRecord>();
  follower.opened(NOW);
  const records = SERVED.map((host, index) => ({ record: recordOf(host, 1_000 + index), ttlMs: 13_000 }));
  follower.received({ pingId: 0n, message: { kind: 'snapshot', pages: [records], removed: [], token: 't' } }, NOW);
  const published = createPublished(follower);
  const tally: Tally = { outcomes: new Map(), faults: [] };
  for (let seed = from; seed < to; seed += 1) {
    const { read, means } = fuzzCase(seed);
    const outcome = read.startsWith('!') || read === 'more' ? read : routeOf(read, published);
    tally.outcomes.set(outcome, (tally.outcomes.get(outcome) ?? 0) + 1);
    const isWrong = outcome === 'wrong route' || read !== means;
    if (isWrong && tally.faults.length < FAULTS_MAX) tally.faults.push(`seed ${seed}: read ${read}, means ${means}, ${outcome}`);
  }
  return tally;
}

function routeOf(serverName: string, published: ReturnType<typeof createPublished>): string {
  const place = published.find(normaliseHost(serverName), NOW);
  // Lower case and less one dot, told again without the code that is tried.
  const wanted = serverName.toLowerCase().replace(/\.$/, '');
  const isServed = SERVED.some((host) => host === wanted);
  if (place.kind !== 'record') return isServed ? 'wrong route' : 'name-unknown';
  return place.record.host === wanted ? 'routed' : 'wrong route';
}
