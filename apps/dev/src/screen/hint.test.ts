import { expect, test } from 'vitest';
import { hintFor, type Trouble } from './hint.ts';

const host = 'team--demo--web.apps.localhost:8443';
const target = '127.0.0.1:3000';

const rows: [title: string, trouble: Trouble, want: string][] = [
  ['a wrong port', { code: 'app_unreachable', reason: 'nothing listens' }, 'sallyport service expose team/demo/web=PORT'],
  [
    'our own port',
    { code: 'app_unreachable', reason: 'the port is one of our own listeners' },
    'Name the port of your application',
  ],
  ['::1 only', { code: 'app_unreachable', reason: 'it listens on ::1' }, 'Start it on 127.0.0.1 (for Vite: --host 127.0.0.1)'],
  [
    'a refused ::1, which is no sign that anything listens there',
    { code: 'app_unreachable', reason: 'connect ECONNREFUSED ::1:3000' },
    'Nothing listens on 127.0.0.1:3000',
  ],
  ['an application that hangs', { code: 'app_timeout' }, 'takes the connection and does not answer'],
  [
    'an application with TLS of its own',
    { code: 'app_protocol', reason: 'no status line' },
    'If it serves https, switch that off',
  ],
  ['Vite', { status: 403, reason: 'Blocked request. This host ("a.example.com") is not allowed.' }, '--host-policy loopback'],
  ['webpack', { status: 403, reason: 'Invalid Host header' }, '--host-policy loopback'],
  [
    'Django',
    { status: 400, reason: "Invalid HTTP_HOST header: 'a.b'. You may need to add it to ALLOWED_HOSTS" },
    '--host-policy loopback',
  ],
  ['Rails', { status: 403, reason: 'Blocked hosts: a.example.com' }, '--host-policy loopback'],
  ['Jupyter', { status: 403, reason: 'Blocking Cross Origin API request for /api' }, '--origin-policy match-host'],
  ['a 403 without words', { status: 403 }, 'If it checks the host name'],
  ['an unknown CA in Node', { code: 'SELF_SIGNED_CERT_IN_CHAIN' }, 'NODE_EXTRA_CA_CERTS=FILE'],
  [
    'an unknown CA in curl',
    { reason: 'SSL certificate problem: unable to get local issuer certificate' },
    `curl --cacert FILE https://${host}/`,
  ],
  ['a CA whose file is known', { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', caFile: 'ca.pem' }, 'curl --cacert ca.pem'],
  ['a name that does not resolve', { code: 'ENOTFOUND' }, `curl --resolve ${host}:127.0.0.1 https://${host}/`],
  ['the same in curl’s words', { reason: 'Could not resolve host: x' }, 'curl --resolve'],
  ['a name without a port', { code: 'ENOTFOUND', host: 'a.test' }, 'curl --resolve a.test:443:127.0.0.1'],
  ['too much at one time', { code: 'over_limit' }, 'Close what you do not need'],
  [
    'no leave to serve',
    { code: 'not_fresh' },
    'once the gateway answers; if not:\nsallyport explain team--demo--web.apps.localhost',
  ],
  ['an expired lease', { code: 'lease_expired' }, 'The lease of 15 s was not renewed'],
  ['a hand-over', { code: 'draining' }, 'Try again in a second'],
  [
    'a declaration that was not taken',
    { code: 'route_withdrawn', reason: "the supervisor rejected configuration 3: port 8443 is the supervisor's own" },
    'did not take the newest declaration. Declare another:\nsallyport service expose team/demo/web=PORT',
  ],
  ['a deleted service', { code: 'route_withdrawn' }, 'sallyport service expose team/demo/web=3000'],
  ['an unknown name', { code: 'route_unknown' }, 'sallyport service list'],
  ['two names', { code: 'host_mismatch' }, 'one name for both'],
  ['old cookies', { code: 'headers_too_large' }, 'Old cookies'],
  [
    'a host whose label is hashed',
    { code: 'route_withdrawn', host: 'x7f3a.apps.localhost' },
    'expose WORKSPACE/SANDBOX/SERVICE=3000',
  ],
  ['a service that is named', { code: 'route_withdrawn', service: 'a/b/c' }, 'expose a/b/c=3000'],
  [
    'another way to call the CLI',
    { code: 'route_unknown', cli: 'npm run -s sallyport --' },
    'npm run -s sallyport -- service list',
  ],
];

test.each(rows)('%s', (_title, trouble, want) => {
  expect(hintFor({ host, target, ...trouble })).toContain(want);
});

const silent: [title: string, trouble: Trouble][] = [
  ['an answer of the application that is its own affair', { status: 404 }],
  ['a 403 for another reason', { status: 403, reason: 'you are not signed in' }],
  ['a 400 without words', { status: 400 }],
  ['a code that nobody knows', { code: 'EWHATEVER' }],
  ['nothing at all', {}],
];

test.each(silent)('says nothing about %s', (_title, trouble) => {
  expect(hintFor({ host, target, ...trouble })).toBeUndefined();
});
