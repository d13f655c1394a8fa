import { Metadata } from '@grpc/grpc-js';
import { spiffeId } from '@sallyport/model';
import { describe, expect, test } from 'vitest';
import { bearerIn } from './caller.ts';
import { checkServerApp, type Peer, peerIn } from './peer.ts';

describe('the peer in a certificate', () => {
  const gateway: Peer = { app: 'gateway', id: 'gw-1' };
  const rows: [title: string, names: string | undefined, want: Peer | undefined][] = [
    ['one URI', 'URI:spiffe://acme.test/gateway/gw-1', gateway],
    ['beside host names', 'DNS:localhost, URI:spiffe://acme.test/gateway/gw-1, IP Address:127.0.0.1', gateway],
    ['no names', undefined, undefined],
    ['host names only', 'DNS:localhost', undefined],
    ['another trust domain', 'URI:spiffe://other.test/gateway/gw-1', undefined],
    ['a trust domain that ours is the end of', 'URI:spiffe://x.acme.test/gateway/gw-1', undefined],
    ['a trust domain that begins as ours', 'URI:spiffe://acme.test.evil/gateway/gw-1', undefined],
    ['two URIs', 'URI:spiffe://acme.test/gateway/gw-1, URI:spiffe://acme.test/driver/d', undefined],
    ['an app that there is not', 'URI:spiffe://acme.test/root/gw-1', undefined],
    ['no id', 'URI:spiffe://acme.test/gateway', undefined],
    ['an empty id', 'URI:spiffe://acme.test/gateway/', undefined],
    ['more path', 'URI:spiffe://acme.test/gateway/gw-1/admin', undefined],
    ['another scheme', 'URI:https://acme.test/gateway/gw-1', undefined],
    ['a URI hidden in a DNS name', 'DNS:"x, URI:spiffe://acme.test/gateway/gw-1"', undefined],
    ['upper case', 'URI:SPIFFE://acme.test/gateway/gw-1', undefined],
  ];
  test.each(rows)('%s', (_title, names, want) => expect(peerIn(names, 'acme.test')).toEqual(want));

  test('is what spiffeId writes', () =>
    expect(peerIn(`URI:${spiffeId('acme.test', gateway.app, gateway.id)}`, 'acme.test')).toEqual(gateway));
});

describe('a client checks the app of its server', () => {
  const check = checkServerApp('acme.test', 'gateway');
  test('and takes the right one', () => {
    expect(check('anything', { subjectaltname: 'URI:spiffe://acme.test/gateway/gw-1' } as never)).toBeUndefined();
  });
  test.each(['URI:spiffe://acme.test/supervisor/s', 'DNS:gateway', undefined])('and refuses %s', (subjectaltname) => {
    expect(check('gateway', { subjectaltname } as never)).toBeInstanceOf(Error);
  });
});

describe('the bearer token of a call', () => {
  const rows: [title: string, values: string[], want: string | undefined][] = [
    ['is taken', ['Bearer a.b-c_d'], 'a.b-c_d'],
    ['with the scheme in any case', ['bearer abc'], 'abc'],
    ['not without a scheme', ['abc'], undefined],
    ['not of another scheme', ['Basic abc'], undefined],
    ['not empty', ['Bearer '], undefined],
    ['not with anything after it', ['Bearer abc def'], undefined],
    ['not if there are two', ['Bearer abc', 'Bearer def'], undefined],
    ['not if there is none', [], undefined],
  ];
  test.each(rows)('%s', (_title, values, want) => {
    const metadata = new Metadata();
    for (const value of values) metadata.add('authorization', value);
    expect(bearerIn(metadata)).toBe(want);
  });
});
