import { createLog } from '@sallyport/process';
import { createManualClock } from '@sallyport/process/manual-clock';
import { createMemoryStore } from '@sallyport/store';
import type { SigningKeys } from '@sallyport/wire';
import { createDeclarations } from '../declarations.ts';
import type { Driver } from '../driver.ts';
import { createRegistrations } from '../registrations.ts';
import { startReplica } from '../replica.ts';

/** Gateways on one store and one clock that stands still until it is told. */
export function createReplicas() {
  const clock = createManualClock(1_000);
  const store = createMemoryStore({ clock });
  const log = createLog({ level: 'silent' });
  let ids = 0;
  const randomId = (): string => {
    ids += 1;
    return `id-${ids}`;
  };

  /** Lets time pass, a little at a time, until it is so. */
  async function until(what: string, holds: () => boolean, limitMs = 60_000): Promise<void> {
    const end = clock.now() + limitMs;
    while (!holds()) {
      if (clock.now() > end) throw new Error(`${limitMs} ms have passed without: ${what}`);
      await clock.advanceAsync(10);
    }
  }

  async function settle<T>(promise: Promise<T>): Promise<T> {
    let done = false;
    const watched = promise.finally(() => {
      done = true;
    });
    await until('an answer', () => done);
    return watched;
  }

  async function start(driver: Driver = NO_DRIVER) {
    const replica = await settle(
      startReplica({
        store: store.connect(),
        clock,
        unixMs: () => 1_800_000_000_000 + clock.now(),
        log,
        randomId,
        driver,
        prove: () => async () => ({ ok: false, error: { kind: 'unauthenticated', message: 'nobody' } }),
        address: () => 'test',
        version: 'test',
        onRefused: () => undefined,
      }),
    );
    const { world, reached, writer } = replica;
    return {
      replica,
      world,
      declarations: createDeclarations({ world, reached, writer, domain: 'apps.test' }),
      registrations: createRegistrations({ world, reached, writer, driver, keys: NO_KEYS, randomId }),
    };
  }

  return { clock, store, log, until, settle, start };
}

const nothing = async () => ({ ok: false, error: { kind: 'not-ready', message: 'no driver' } }) as const;
const NO_DRIVER: Driver = { authenticate: nothing, runtimeId: nothing, endpoint: nothing };

const NO_KEYS: SigningKeys = {
  sign: () => Promise.resolve('unsigned'),
  verifier: () => undefined,
  problem: () => undefined,
  close: () => undefined,
};
