import { describe, expect, test } from 'vitest';
import { fittingConnections, RESERVED_DESCRIPTORS, readDescriptorLimit } from './descriptors.ts';

describe('connections fit into file descriptors', () => {
  const rows: [title: string, wanted: number, descriptors: number | undefined, fitting: number][] = [
    ['all where there is room', 10_000, 1_048_576, 10_000],
    ['all where exactly so many fit', 10, RESERVED_DESCRIPTORS + 20, 10],
    ['fewer where one is missing', 10, RESERVED_DESCRIPTORS + 19, 9],
    ['half of what is not reserved', 10_000, RESERVED_DESCRIPTORS + 1_000, 500],
    ['none where all is reserved', 10_000, RESERVED_DESCRIPTORS + 1, 0],
    ['none below', 10_000, 16, 0],
    ['all where the system does not say', 10_000, undefined, 10_000],
  ];
  test.each(rows)('%s', (_title, wanted, descriptors, fitting) => expect(fittingConnections(wanted, descriptors)).toBe(fitting));

  test('the limit is read from the system, where it says one', async () => {
    expect(await readDescriptorLimit()).toBeGreaterThan(0);
    expect(await readDescriptorLimit('/nowhere/limits')).toBeUndefined();
  });
});
