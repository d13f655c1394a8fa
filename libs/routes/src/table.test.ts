import { type ConfiguredService, DEFAULT_POLICY, type Host, type HostPolicy, type ServiceName } from '@sallyport/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EMPTY_TABLE, install, KNOWN_HOSTS_MAX, type RouteTable, withdrawAll } from './table.ts';

const hostOf = (name: string): Host => `${name}.apps.test` as Host;
const web: ConfiguredService = { service: 'web' as ServiceName, host: hostOf('web'), port: 8080, policy: DEFAULT_POLICY };
const api: ConfiguredService = { service: 'api' as ServiceName, host: hostOf('api'), port: 9000, policy: DEFAULT_POLICY };
const names = (routes: Iterable<{ host: Host }>): string[] => [...routes].map(({ host }) => host.split('.')[0] ?? '').sort();

describe('a route stays, with its streams, iff it is the same in every respect', () => {
  const rows: [title: string, next: ConfiguredService, stays: boolean][] = [
    ['the same', { ...web }, true],
    ['an equal policy, made anew', { ...web, policy: { ...DEFAULT_POLICY, host: { kind: 'public' } } }, true],
    ['another port', { ...web, port: 8081 }, false],
    ['another service at its host', { ...web, service: 'api' as ServiceName }, false],
    ['another origin policy', { ...web, policy: { ...DEFAULT_POLICY, origin: 'strip' } }, false],
    ['another cookie policy', { ...web, policy: { ...DEFAULT_POLICY, cookies: 'pass' } }, false],
    ['another host policy', { ...web, policy: { ...DEFAULT_POLICY, host: { kind: 'loopback' } } }, false],
    ['a host policy with a value', { ...web, policy: { ...DEFAULT_POLICY, host: { kind: 'value', value: 'a' } } }, false],
  ];
  test.each(rows)('%s', (_title, next, stays) => {
    const { table } = install(EMPTY_TABLE, [web, api]);
    const before = table.routes.get(web.host);
    const after = install(table, [next, api]);
    expect(after.table.routes.get(web.host)?.key === before?.key).toBe(stays);
    expect(after.withdrawn).toEqual(stays ? [] : [before]);
    expect(after.installed.map(({ host }) => host)).toEqual(stays ? [] : [web.host]);
  });
  test('another value of the same host policy is another route', () => {
    const valued = (value: string): ConfiguredService => ({
      ...web,
      policy: { ...DEFAULT_POLICY, host: { kind: 'value', value } },
    });
    const { table } = install(EMPTY_TABLE, [valued('a')]);
    expect(install(table, [valued('a')]).withdrawn).toEqual([]);
    expect(install(table, [valued('b')]).withdrawn).toHaveLength(1);
  });
});

describe('installing', () => {
  test('replaces the whole: what is not named is withdrawn', () => {
    const { table } = install(EMPTY_TABLE, [web]);
    const after = install(table, [api]);
    expect(names(after.table.routes.values())).toEqual(['api']);
    expect([names(after.withdrawn), names(after.installed)]).toEqual([['web'], ['api']]);
  });
  test('changes nothing about the table before', () => {
    const { table } = install(EMPTY_TABLE, [web]);
    install(table, [api]);
    expect(names(table.routes.values())).toEqual(['web']);
    expect(EMPTY_TABLE.routes.size).toBe(0);
  });
  test('a rejected configuration withdraws what it replaced', () => {
    const { table } = install(EMPTY_TABLE, [web, api]);
    const after = withdrawAll(table);
    expect(after.table.routes.size).toBe(0);
    expect(names(after.withdrawn)).toEqual(['api', 'web']);
    expect(after.installed).toEqual([]);
  });
  test('a route that comes back is a new one: nothing of its former life reaches it', () => {
    const first = install(EMPTY_TABLE, [web]);
    const again = install(withdrawAll(first.table).table, [web]);
    expect(again.table.routes.get(web.host)?.key).not.toBe(first.table.routes.get(web.host)?.key);
  });
});

describe('hosts stay known after they were withdrawn', () => {
  test('so that a client of one reads why', () => {
    const { table } = withdrawAll(install(EMPTY_TABLE, [web]).table);
    expect(table.known.has(web.host)).toBe(true);
    expect(table.known.has(api.host)).toBe(false);
  });
  test('at most so many, the oldest go first; what is installed is none of them', () => {
    let table: RouteTable = install(EMPTY_TABLE, [web]).table;
    for (let n = 0; n < KNOWN_HOSTS_MAX + 10; n += 1) {
      table = install(table, [web, { ...api, host: hostOf(`old-${n}`) }]).table;
    }
    expect(table.known.size).toBe(KNOWN_HOSTS_MAX);
    expect(table.known.has(hostOf('old-0'))).toBe(false);
    expect(table.known.has(web.host)).toBe(true);
    expect(table.known.has(hostOf(`old-${KNOWN_HOSTS_MAX + 9}`))).toBe(true);
  });
});

test('over any sequence of configurations: what was installed is served or was withdrawn, once, and no key comes twice', () => {
  const policyHost: fc.Arbitrary<HostPolicy> = fc.constantFrom<HostPolicy>({ kind: 'public' }, { kind: 'value', value: 'x' });
  const service = fc.record({
    service: fc.constantFrom('a', 'b').map((name) => name as ServiceName),
    host: fc.constantFrom('a', 'b', 'c').map(hostOf),
    port: fc.constantFrom(1, 2),
    policy: fc.record({
      host: policyHost,
      origin: fc.constant('keep' as const),
      cookies: fc.constantFrom('isolate' as const, 'pass' as const),
    }),
  });
  const services = fc.uniqueArray(service, { selector: ({ host }) => host, maxLength: 3 });
  const spelt = ({ service: name, host, port, policy }: ConfiguredService): string => JSON.stringify([name, host, port, policy]);
  fc.assert(
    fc.property(fc.array(services, { maxLength: 12 }), (configurations) => {
      let table: RouteTable = EMPTY_TABLE;
      const ever = new Set<string>();
      for (const configuration of configurations) {
        const before = new Map([...table.routes.values()].map((route) => [route.key, route]));
        const after = install(table, configuration);
        table = after.table;
        expect([...table.routes.values()].map(spelt)).toEqual(configuration.map(spelt));
        for (const { key } of after.installed) {
          expect(ever.has(key)).toBe(false);
          ever.add(key);
        }
        const kept = [...table.routes.values()].filter(({ key }) => before.has(key));
        expect(kept.every((route) => spelt(route) === spelt(before.get(route.key) ?? route))).toBe(true);
        expect(new Set(after.withdrawn.map(({ key }) => key))).toEqual(
          new Set([...before.keys()].filter((key) => !kept.some((route) => route.key === key))),
        );
        // A route that is the same in every respect is never withdrawn.
        const wanted = new Set(configuration.map(spelt));
        expect(after.withdrawn.some((route) => wanted.has(spelt(route)))).toBe(false);
      }
    }),
  );
});
