import { describeEtcd } from '@sallyport/store/testing/etcd';
import { test } from 'vitest';
import { runCase } from '../rig/case.ts';
import { configurationRejected, credentialBumped, tokenRevoked } from './faults/changes.ts';
import { supervisorKilled } from './faults/restart.ts';

describeEtcd('changes, as real processes', () => {
  test('credential bumped', () => runCase('credential-bumped', {}, credentialBumped), 120_000);
  test('sandbox token revoked', () => runCase('token-revoked', {}, tokenRevoked), 240_000);
  test('configuration rejected', () => runCase('configuration-rejected', {}, configurationRejected), 180_000);
  test('supervisor killed', () => runCase('supervisor-killed', { supervisorCount: 2 }, supervisorKilled), 180_000);
});
