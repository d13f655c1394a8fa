import { expect, test } from 'vitest';
import { type StoreFacts, storeFinding } from './check-service.ts';

const etcd = (version: string, wanted?: string) => () => ({ name: 'etcd', version, wanted });

const rows: [title: string, server: StoreFacts['server'], connected: boolean, ok: boolean, detail: RegExp, next: RegExp][] = [
  ['a good etcd', etcd('3.6.12'), true, true, /^etcd 3\.6\.12$/, /^$/],
  ['a store in this process', undefined, true, true, /memory of the gateway: .* ends with it/, /^$/],
  ['an old etcd', etcd('3.4.23', '3.6.11'), true, false, /^etcd 3\.4\.23 has bugs/, /^use etcd 3\.6\.11 or later$/],
  ['an etcd that went away', etcd('3.6.12'), false, false, /does not answer any more/, /etcdctl/],
  ['one that never was there', () => undefined, false, false, /has not answered yet/, /etcdctl/],
];
test.each(rows)('the store: %s', (_title, server, connected, ok, detail, next) => {
  expect(storeFinding({ server, connected: () => connected })).toEqual({
    name: 'store',
    ok,
    detail: expect.stringMatching(detail),
    nextStep: expect.stringMatching(next),
  });
});
