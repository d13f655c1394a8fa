import { describe, expect, test } from 'vitest';
import { createWitness, isTooOld } from './witness.ts';

test.each([
  ['3.4.23', true],
  ['3.6.10', true],
  ['3.6.11', false],
  ['3.6.14', false],
  ['3.7.0', false],
  ['3.5.30', true],
  ['4.0.0', false],
  ['3.6.11-rc.1', false],
  ['what', true],
])('etcd %s: too old %s', (version, tooOld) => expect(isTooOld(version)).toBe(tooOld));

describe('a witness', () => {
  const header = (cluster_id: string, revision: string) => ({ cluster_id, revision, member_id: '1', raft_term: '1' });

  test('keeps the newest revision', () => {
    const witness = createWitness();
    for (const revision of ['7', '9', '8']) expect(witness.problem(header('1', revision))).toBeUndefined();
    expect(witness.newest()).toBe(9n);
  });
  test('objects to another cluster, and learns nothing from it', () => {
    const witness = createWitness();
    witness.problem(header('1', '7'));
    expect(witness.problem(header('2', '99'))).toMatch(/cluster 2, not of 1/);
    expect(witness.newest()).toBe(7n);
  });
});
