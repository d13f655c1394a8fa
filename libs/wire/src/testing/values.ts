import type { Installation } from '@sallyport/authority';
import type { Configuration } from '@sallyport/model';

/** Values that pass every check, for tests to change one thing of. Brands are for the rules; here plain text will do. */
const plain = (value: unknown): never => value as never;

export const configuration: Configuration = plain({
  sandboxId: 'sb1',
  workspace: 'team',
  sandbox: 'demo',
  revision: 3n,
  hash: 'a'.repeat(64),
  services: [
    {
      service: 'web',
      host: 'team--demo--web.apps.test',
      port: 8080,
      policy: { host: { kind: 'value', value: 'localhost:8080' }, origin: 'match-host', cookies: 'pass' },
    },
    {
      service: '',
      host: 'team--demo.apps.test',
      port: 65_535,
      policy: { host: { kind: 'loopback' }, origin: 'keep', cookies: 'isolate' },
    },
  ],
});

export const installation: Installation = plain({
  sandbox: 'demo',
  routes: [{ service: 'web', host: 'team--demo--web.apps.test', port: 8080 }],
  endpoint: { address: '10.0.0.7', port: 8443, podUid: 'pod-1' },
  fence: { generation: 'g1', owner: 1n, session: 2n, sandbox: 3n, config: 4n, credential: 5n, memberCreated: 6n },
  memberId: 'm1',
  ownerEpoch: 11n,
  configRevision: 3n,
  renewal: { sessionId: 's1', reportSequence: 4, remainingMs: 14_900, asOf: 90n, gatewayId: 'gw1', gatewayEpoch: 9n },
});
