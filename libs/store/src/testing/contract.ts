import { afterEach, beforeEach, describe } from 'vitest';
import { commitContract } from './commit-contract.ts';
import type { MakeHarness, StoreHarness } from './harness.ts';
import { leaseContract } from './lease-contract.ts';
import { watchContract } from './watch-contract.ts';

export type { MakeHarness, StoreHarness } from './harness.ts';

/** What every adapter must do, whatever stands behind it. `name` heads the tests. */
export function storeContract(name: string, makeHarness: MakeHarness): void {
  describe(`${name} keeps the contract of the store`, () => {
    let harness: StoreHarness;
    beforeEach(async () => {
      harness = await makeHarness();
    });
    afterEach(() => harness.close());

    const current = (): StoreHarness => harness;
    describe('reads and commits', () => commitContract(current));
    describe('watches', () => watchContract(current));
    describe('leases', () => leaseContract(current));
  });
}
