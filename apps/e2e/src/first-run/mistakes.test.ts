import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSigningKeys, signOperatorToken } from '@sallyport/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { get } from '../stack/client.ts';
import { type DevStack, startDev } from '../stack/dev-stack.ts';
import { until } from '../stage/until.ts';
import { describeCurl } from '../testing/needs.ts';
import { freePorts, helloAt, issueLoopback, type SmallApp, startPicky, startTls } from './small-apps.ts';

/**
 * What newcomers get wrong, and that the answer says how to mend it. What keeps a stack from starting, a port where nobody
 * listens and a taken one, is in ../stack/bad-input.test.ts; a real browser meets a refused Host in vite.test.ts.
 */
/** Far more than a line needs from there to here. */
const SAID_WITHIN_MS = 60_000;
const closing: (() => Promise<unknown>)[] = [];
let stack: DevStack;
let nobody: number;

beforeAll(async () => {
  const apps = { plain: await app(helloAt('127.0.0.1')), v6: await app(helloAt('::1')), picky: await app(startPicky()) };
  const https = await app(startTls(await issueLoopback(new Date())));
  nobody = await freePorts(1);
  const ports = Object.entries({ ...apps, https }).map(([name, { port }]) => `--service=${name}=${port}`);
  stack = await startDev([...ports, `--service=nobody=${nobody}`]);
  closing.push(() => stack.stop());
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

async function app(starting: Promise<SmallApp>): Promise<SmallApp> {
  const started = await starting;
  closing.push(() => started.close());
  return started;
}

const ask = (service: string, accept = '*/*') => get(stack.url(`team/demo/${service}`), stack.ca, '/', { accept });
const terminalSays = (pattern: RegExp, of = stack) => until(`${pattern}`, () => pattern.test(of.stdout()), SAID_WITHIN_MS);
/** A line of the banner, as it would be copied from there; it comes a moment after the ready file. */
async function line(of: DevStack, begins: string): Promise<string> {
  const found = (): string | undefined =>
    of
      .stdout()
      .split('\n')
      .map((each) => each.trim())
      .find((each) => each.startsWith(begins));
  await until(`a line ${begins}`, () => found() !== undefined, SAID_WITHIN_MS);
  return found() ?? '';
}

describe.concurrent('what is behind the name', () => {
  test('a port of something that speaks https: the terminal says who does the TLS', async () => {
    const { status, code } = await ask('https');
    expect([status, code]).toEqual([502, 'app_protocol']);
    await terminalSays(/team\/demo\/https error app_protocol: .*If it serves https, switch that off/);
  });

  test("Sallyport's own port: refused, and another sandbox serves on", async () => {
    const listener = stack.ready.processes.find((each) => each.app === 'supervisor')?.port;
    expect((await stack.sallyport('sandbox', 'register', 'team/loop')).code).toBe(0);
    const exposed = await stack.sallyport('service', 'expose', `team/loop/web=${listener}`);
    expect([exposed.code, exposed.stderr]).toEqual([1, expect.stringMatching(/port \d+ is the supervisor's own/)]);
    expect((await ask('plain')).body).toBe('hello\n');
  });

  test('an application that does not listen: its page tries again, the terminal has both mends, and one works', async () => {
    const page = await ask('nobody', 'text/html');
    expect([page.status, page.code]).toEqual([502, 'app_unreachable']);
    expect(page.body).toContain('http-equiv="refresh"');
    await terminalSays(/team\/demo\/nobody error app_unreachable: .*Start the application, or name its real port:/);
    await terminalSays(/service expose team\/demo\/nobody=PORT/);
    await app(helloAt('127.0.0.1', nobody));
    expect((await ask('nobody')).body).toBe('hello\n');
  });

  test('an application on ::1 only is no mistake: it is served as it is', async () => {
    expect((await ask('v6')).body).toBe('hello\n');
  });

  test('an application that refuses its public name: the terminal has the command, and the command mends it', async () => {
    expect((await ask('picky')).status).toBe(403);
    await terminalSays(/team\/demo\/picky error 403: .*is not allowed/);
    await terminalSays(/service expose team\/demo\/picky=\d+ --host-policy loopback/);
    const [command = ''] = /service expose team\/demo\/picky=\d+ --host-policy loopback/.exec(stack.stdout()) ?? [];
    expect((await stack.sallyport(...command.split(' '))).code).toBe(0);
    expect((await ask('picky')).body).toBe('hello\n');
  });
});

describe.concurrent('a client that does not trust the CA', () => {
  test('Node: the variable of the banner mends it', async () => {
    const url = stack.url('team/demo/plain');
    const options = { host: '127.0.0.1', port: url.port, servername: url.hostname, headers: { host: url.host } };
    await writeFile(
      join(stack.folder, 'app.mjs'),
      `import { get } from 'node:https';
get(${JSON.stringify(options)}, ({ statusCode }) => { console.log(String(statusCode)); process.exit(); }).on('error', ({ code }) => console.log(code));`,
    );
    const trusting = (await line(stack, 'NODE_EXTRA_CA_CERTS=')).replace(/ node .*/, '');
    expect((await shell(`"${process.execPath}" app.mjs`)).stdout).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE\n');
    expect((await shell(`${trusting} "${process.execPath}" app.mjs`)).stdout).toBe('200\n');
  });

  test('our command line with another CA: which file, and which option', async () => {
    await writeFile(join(stack.folder, 'other.pem'), (await issueLoopback(new Date())).caPem);
    const listed = await stack.sallyport('service', 'list', '--ca-file=other.pem');
    expect([listed.code, listed.stderr]).toEqual([1, expect.stringMatching(/was not signed by .*other\.pem .*--ca-file/)]);
  });
});

describeCurl('curl', () => {
  test('that does not trust the CA: the line of the banner mends it', async () => {
    const untrusted = await shell(`curl -sS ${stack.url('team/demo/v6')}`);
    expect([untrusted.code, untrusted.stderr]).toEqual([60, expect.stringMatching(/SSL certificate/)]);
    const first = stack.ready.services[0]?.service === 'https' ? '502' : '200';
    expect((await shell(`${await line(stack, 'curl --cacert')} -sS -o /dev/null -w '%{http_code}'`)).stdout).toBe(first);
  });

  test('with a name that does not resolve: the line of the banner works for a domain that nobody knows', async () => {
    const { port } = await app(helloAt('127.0.0.1'));
    const other = await startDev([`--service=web=${port}`, '--domain=apps.example.test']);
    try {
      const { href, hostname } = other.url('team/demo/web');
      const unresolved = await shell(`curl -sS --cacert ${other.ready.caFile} ${href}`);
      expect([unresolved.code, unresolved.stderr]).toEqual([6, expect.stringMatching(/Could not resolve host/)]);
      expect((await shell(await line(other, 'curl --resolve'))).stdout).toBe('hello\n');
      await terminalSays(new RegExp(`A line for /etc/hosts: 127\\.0\\.0\\.1 ${hostname}`), other);
    } finally {
      await other.stop();
    }
  });
});

describe.concurrent('our command line', () => {
  test.each([
    ['an hour behind', 3_600_000],
    ['far ahead', -25 * 3_600_000],
  ])('on a clock that is %s: it names the clock as the reason that it may be', async (_title, offsetMs) => {
    const issued = await issueLoopback(new Date(Date.now() + offsetMs));
    const skewed = await app(startTls(issued, { ALPNProtocols: ['h2'] }));
    const caFile = join(stack.folder, `skewed${skewed.port}.pem`);
    await writeFile(caFile, issued.caPem);
    const options = [`--gateway=127.0.0.1:${skewed.port}`, `--ca-file=${caFile}`, `--token-file=${stack.ready.adminTokenFile}`];
    const listed = await stack.sallyport('service', 'list', ...options);
    expect(listed.code).toBe(1);
    expect(listed.stderr).toMatch(/has expired or is not valid yet; renew it, or set this machine's clock/);
  });

  test('with an expired token: which file, and where a new one comes from', async () => {
    const keys = await openSigningKeys(join(stack.folder, '.sallyport', 'signing-keys'));
    if (!keys.ok) throw new Error(keys.error);
    const token = await signOperatorToken(keys.value, { principal: 'late', role: { kind: 'admin' } }, -60_000);
    keys.value.close();
    await writeFile(join(stack.folder, 'late.token'), token);
    const listed = await stack.sallyport('service', 'list', '--token-file=late.token');
    expect(listed.code).toBe(1);
    expect(listed.stderr).toMatch(/the token in .*late\.token has expired; start the dev stack again/);
  });

  test('with a gateway that is down: what to look at; and with a stack that was killed: what to start', async () => {
    const doomed = await startDev(['--serve-anyway', '--service=web=1']);
    try {
      doomed.child.kill('SIGKILL');
      await new Promise((ended) => doomed.child.once('close', ended));
      const { gatewayAddress, caFile, adminTokenFile } = doomed.ready;
      const options = [`--gateway=${gatewayAddress}`, `--ca-file=${caFile}`, `--token-file=${adminTokenFile}`];
      const [named, found] = await Promise.all([
        doomed.sallyport('service', 'list', ...options),
        doomed.sallyport('service', 'list'),
      ]);
      expect([named.code, named.stderr]).toEqual([
        1,
        expect.stringContaining(`nothing listens on ${gatewayAddress}; check that the gateway runs`),
      ]);
      expect([found.code, found.stderr]).toEqual([1, expect.stringContaining('npm start')]);
    } finally {
      await doomed.stop();
    }
  });
});

/** As it would be typed into another terminal. */
function shell(command: string): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  return new Promise((done) =>
    execFile('sh', ['-c', command], { cwd: stack.folder, timeout: 110_000 }, (error, stdout, stderr) =>
      done({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    ),
  );
}
