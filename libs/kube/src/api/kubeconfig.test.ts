import { describe, expect, test } from 'vitest';
import { inClusterAccess } from './in-cluster.ts';
import { parseKubeconfig, readKubeconfig } from './kubeconfig.ts';

const pem = (what: string): string => `-----BEGIN ${what}-----\nx\n-----END ${what}-----\n`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const good = {
  cluster: { server: 'https://10.0.0.1:6443', 'certificate-authority': 'ca.crt' } as Record<string, unknown>,
  user: { token: 'secret' } as Record<string, unknown>,
};
const config = ({ cluster, user }: Partial<typeof good> = {}): string =>
  JSON.stringify({
    'current-context': 'a',
    contexts: [
      { name: 'a', context: { cluster: 'one', user: 'me' } },
      { name: 'b', context: { cluster: 'two', user: 'me' } },
      { name: 'nobody', context: { cluster: 'one', user: 'x' } },
      { name: 'nowhere', context: { cluster: 'x', user: 'me' } },
    ],
    clusters: [
      { name: 'one', cluster: cluster ?? good.cluster },
      { name: 'two', cluster: { server: 'https://two.example/k8s/clusters/c1/' } },
    ],
    users: [{ name: 'me', user: user ?? good.user }],
  });
const parse = (text: string, context?: string) => parseKubeconfig(text, { directory: '/home/me/.kube', context });

describe('a kubeconfig gives', () => {
  const rows: [title: string, text: string, want: object, context?: string][] = [
    ['its current context', config(), { server: 'https://10.0.0.1:6443', token: { kind: 'inline', value: 'secret' } }],
    ['files beside it', config(), { ca: { kind: 'file', path: '/home/me/.kube/ca.crt' } }],
    [
      'another context, with a path in its server',
      config(),
      { server: 'https://two.example/k8s/clusters/c1', ca: undefined },
      'b',
    ],
    [
      'inline data, rather than a file',
      config({ cluster: { ...good.cluster, 'certificate-authority-data': base64(pem('CERTIFICATE')) } }),
      { ca: { kind: 'inline', value: pem('CERTIFICATE') } },
    ],
    [
      'a token file, rather than a token',
      config({ user: { token: 'x', tokenFile: '/run/token' } }),
      { token: { kind: 'file', path: '/run/token' } },
    ],
    [
      'a client certificate',
      config({ user: { 'client-certificate-data': base64(pem('CERTIFICATE')), 'client-key': 'my.key' } }),
      { client: { cert: { kind: 'inline' }, key: { kind: 'file', path: '/home/me/.kube/my.key' } }, token: undefined },
    ],
    ['the name in the certificate', config({ cluster: { ...good.cluster, 'tls-server-name': 'kube' } }), { serverName: 'kube' }],
    ['a proxy on this machine', config({ cluster: { server: 'http://127.0.0.1:8001' } }), { server: 'http://127.0.0.1:8001' }],
    [
      'YAML',
      'current-context: a\ncontexts:\n- name: a\n  context: {cluster: c, user: u}\nclusters:\n- name: c\n  cluster: {server: "https://k"}\nusers:\n- name: u\n  user:\n    token: t\n',
      { server: 'https://k' },
    ],
  ];
  test.each(rows)('%s', (_title, text, want, context) => expect(parse(text, context)).toMatchObject({ ok: true, value: want }));
});

describe('a kubeconfig is refused in one line', () => {
  const user = (more: object): string => config({ user: { ...good.user, ...more } });
  const cluster = (more: object): string => config({ cluster: { ...good.cluster, ...more } });
  const rows: [title: string, text: string, why: RegExp, context?: string][] = [
    ['no YAML', '{', /not YAML/],
    ['nothing in it', '', /no current-context/],
    ['a context that is not there', config(), /no context "z", but "a", "b"/, 'z'],
    ['a user that is not there', config(), /names a user/, 'nobody'],
    ['a cluster that is not there', config(), /names a cluster/, 'nowhere'],
    ['an exec plugin', user({ exec: { command: 'aws' } }), /exec plugins are not run .*token file/],
    ['an auth provider', user({ 'auth-provider': { name: 'gcp' } }), /auth-provider/],
    ['a password', user({ username: 'me', password: 'x' }), /passwords/],
    ['impersonation', user({ as: 'root' }), /impersonation/],
    ['a server that is not checked', cluster({ 'insecure-skip-tls-verify': true }), /insecure-skip-tls-verify/],
    ['a proxy', cluster({ 'proxy-url': 'http://p' }), /proxy-url/],
    ['plain HTTP over a network', cluster({ server: 'http://10.0.0.1' }), /not https/],
    ['plain HTTP to a name that begins like an address', cluster({ server: 'http://127.0.0.1.evil.example' }), /not https/],
    ['a server that is no URL', cluster({ server: 'k8s' }), /not a URL/],
    ['a certificate without its key', config({ user: { 'client-certificate': 'a' } }), /go together/],
    ['data that is no PEM', cluster({ 'certificate-authority-data': base64('x') }), /not PEM/],
    ['a user who proves nothing', config({ user: {} }), /neither a token nor a client certificate/],
    ['anchors that unfold', 'a: &a [x]\nb: [*a, *a]\n', /not YAML|no current-context/],
  ];
  test.each(rows)('%s', (_title, text, why, context) => {
    const read = parse(text, context);
    expect(read).toMatchObject({ ok: false, error: expect.stringMatching(why) });
    if (!read.ok) expect(read.error).not.toContain('\n');
  });
  test('a file that is not there', async () =>
    expect(await readKubeconfig('/nowhere/config')).toMatchObject({ error: expect.stringMatching(/ENOENT/) }));
});

describe('inside a Pod', () => {
  test('the environment says where, and the files are named', () =>
    expect(inClusterAccess({ KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' }, '/sa')).toMatchObject({
      value: { server: 'https://10.96.0.1:443', ca: { path: '/sa/ca.crt' }, token: { path: '/sa/token' } },
    }));
  test('an IPv6 address is put in brackets', () =>
    expect(inClusterAccess({ KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' })).toMatchObject({
      value: { server: 'https://[fd00::1]:443' },
    }));
  test.each([
    [{}],
    [{ KUBERNETES_SERVICE_HOST: '10.96.0.1' }],
    [{ KUBERNETES_SERVICE_HOST: '', KUBERNETES_SERVICE_PORT: '443' }],
  ])('and outside it is refused: %j', (env) =>
    expect(inClusterAccess(env)).toMatchObject({ ok: false, error: expect.stringMatching(/--kubeconfig/) }),
  );
});
