import type { Coverage } from '../coverage.ts';
import type { Connections } from '../net/connections.ts';
import type { Network } from '../net/network.ts';
import type { Random } from '../random.ts';
import type { SimStore } from '../store/sim-store.ts';
import type { Schedule } from '../time/schedule.ts';
import type { SimProcess } from '../time/sim-process.ts';
import type { Transcript } from '../transcript.ts';
import type { ByteTruth } from '../truth/bytes.ts';
import type { StreamTruth } from '../truth/streams.ts';
import type { Court } from '../truth/violations.ts';
import type { WireTruth } from '../truth/wire-truth.ts';
import type { Boundaries } from './boundaries.ts';
import type { Pods } from './pods.ts';

/** What every node of one world shares. */
export interface Surroundings {
  readonly schedule: Schedule;
  readonly network: Network;
  readonly connections: Connections;
  readonly store: SimStore;
  readonly pods: Pods;
  readonly boundaries: Boundaries;
  readonly random: Random;
  readonly court: Court;
  readonly coverage: Coverage;
  readonly transcript: Transcript;
  readonly wire: WireTruth;
  readonly bytes: ByteTruth;
  readonly streams: StreamTruth;
  /** A process at a place: `g0.2` is the second life there. Clocks differ from machine to machine. */
  spawn(place: string): SimProcess;
}

export const DOMAIN = 'apps.test';
