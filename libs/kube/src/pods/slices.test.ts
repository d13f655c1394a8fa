import { describe, expect, test } from 'vitest';
import { createSliceIndex, readSlice } from './slices.ts';

const object = (name: string, change: object = {}, endpoint: object = {}) => ({
  metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: '5', labels: { 'kubernetes.io/service-name': 'svc' } },
  ports: [{ port: 8443 }],
  endpoints: [{ addresses: ['10.0.0.7'], conditions: { ready: true }, targetRef: { kind: 'Pod', uid: 's1' }, ...endpoint }],
  ...change,
});

function find(...objects: object[]) {
  const index = createSliceIndex();
  for (const each of objects) {
    const item = readSlice(each);
    if (item !== undefined) index.apply([{ kind: 'put', item, before: undefined }]);
  }
  return index.find('ns', 'svc', 's1');
}

describe('a Service says that a Pod is', () => {
  const rows: [title: string, objects: object[], want: object][] = [
    ['at its address and port', [object('a')], { kind: 'at', ips: ['10.0.0.7'], ports: [8443] }],
    [
      'at both families, from two slices',
      [object('a'), object('b', {}, { addresses: ['fd00::7'] })],
      { ips: ['10.0.0.7', 'fd00::7'] },
    ],
    ['ready, where it does not say', [object('a', {}, { conditions: {} })], { kind: 'at' }],
    [
      'at ports of TCP alone',
      [
        object('a', {
          ports: [
            { port: 8443, protocol: 'UDP' },
            { port: 9443, protocol: 'TCP' },
          ],
        }),
      ],
      { kind: 'at', ports: [9443] },
    ],
    ['nowhere: no slice', [], { kind: 'nowhere', why: expect.stringMatching(/no EndpointSlice/) }],
    [
      'nowhere: only of other Pods',
      [object('a', {}, { targetRef: { uid: 's2' } })],
      { why: expect.stringMatching(/does not name/) },
    ],
    ['nowhere: an endpoint that is no Pod', [object('a', {}, { targetRef: undefined })], { kind: 'nowhere' }],
    ['nowhere: not ready', [object('a', {}, { conditions: { ready: false } })], { why: expect.stringMatching(/not ready/) }],
    [
      'nowhere: a slice of no Service',
      [{ ...object('a'), metadata: { ...object('a').metadata, labels: {} } }],
      { kind: 'nowhere' },
    ],
    [
      'nowhere: a slice in another namespace',
      [{ ...object('a'), metadata: { ...object('a').metadata, namespace: 'x' } }],
      { kind: 'nowhere' },
    ],
  ];
  test.each(rows)('%s', (_title, objects, want) => expect(find(...objects)).toMatchObject(want));
});
