import { type Standing, startStanding } from '@sallyport/authority';
import { type ConfiguredService, DEFAULT_POLICY, type Host, type Instant, LONG_AGO, type ServiceName } from '@sallyport/model';
import { expect, test } from 'vitest';
import { admit } from './admit.ts';
import { EMPTY_TABLE, install } from './table.ts';

const serviceAt = (name: string, port: number): ConfiguredService => ({
  service: name as ServiceName,
  host: `${name}.apps.test` as Host,
  port,
  policy: DEFAULT_POLICY,
});
/** `gone` was served once. */
const { table } = install(install(EMPTY_TABLE, [serviceAt('gone', 1)]).table, [serviceAt('web', 8080), serviceAt('api', 9000)]);
/** Another instance of the process serves this one. */
const NEIGHBOUR = 'neighbour.apps.test';
const servedHere = (host: Host): boolean => table.routes.has(host) || host === NEIGHBOUR;

const serving: Standing = {
  ...startStanding('shared'),
  acknowledged: true,
  freshUntil: 30_000 as Instant,
  leaseUntil: 15_000 as Instant,
};

const rows: [title: string, serverName: string, host: string, want: string, standing?: Standing, now?: number][] = [
  ['the declared host', 'web.apps.test', 'web.apps.test', '8080'],
  ['another of the same instance, by its own name', 'api.apps.test', 'api.apps.test', '9000'],
  ['to the last millisecond', 'web.apps.test', 'web.apps.test', '8080', serving, 14_999],
  ['not a Host that differs from the server name, though it is served here', 'web.apps.test', 'api.apps.test', 'host_mismatch'],
  ['not one that a neighbour serves', 'web.apps.test', NEIGHBOUR, 'host_mismatch'],
  ['not a Host that nobody serves: to try it elsewhere would be a lie', 'web.apps.test', 'x.apps.test', 'route_unknown'],
  ['not a Host that is no longer served', 'web.apps.test', 'gone.apps.test', 'route_unknown'],
  ['not by an unknown name', 'x.apps.test', 'x.apps.test', 'route_unknown'],
  ['not by a name that was withdrawn: the client reads why', 'gone.apps.test', 'gone.apps.test', 'route_withdrawn'],
  ['not in another spelling: names are normalised before', 'WEB.apps.test', 'WEB.apps.test', 'route_unknown'],
  ['not at the lease’s end', 'web.apps.test', 'web.apps.test', 'lease_expired', serving, 15_000],
  ['not once stale', 'web.apps.test', 'web.apps.test', 'not_fresh', { ...serving, freshUntil: LONG_AGO }],
  ['not unacknowledged', 'web.apps.test', 'web.apps.test', 'not_fresh', { ...serving, acknowledged: false }],
  ['not once released', 'web.apps.test', 'web.apps.test', 'draining', { ...serving, released: true }],
  [
    'a withdrawn route is withdrawn, also of an instance that drains',
    'gone.apps.test',
    'gone.apps.test',
    'route_withdrawn',
    { ...serving, released: true },
  ],
];

test.each(rows)('admits: %s', (_title, serverName, host, want, standing = serving, now = 0) => {
  const admitted = admit(table, standing, { serverName: serverName as Host, host: host as Host }, now as Instant, servedHere);
  expect(admitted.ok ? String(admitted.value.route.port) : admitted.error).toBe(want);
});
