// node deploy/compose/prove.mjs: runs compose.yaml with podman, service by service as Compose does, asks the application through the edge
// over HTTPS, and removes everything. As root, with images that podman has: PREFIX, TAG, ETCD_IMAGE and SALLYPORT_DOMAIN as for Compose;
// RUN_OPTIONS goes to each `podman run`. It knows the keys that the file has; any other one is an error, so that none is left out unseen.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
// biome-ignore lint/correctness/noUndeclaredDependencies: the driver's, in a checkout; this runs nowhere else.
import { parse } from 'yaml';

const folder = import.meta.dirname;
const { name: project, services, networks, volumes } = parse(interpolated(), { merge: true });
const domain = process.env.SALLYPORT_DOMAIN ?? 'apps.localhost';
const HOST = `team--demo--web.${domain}`;
/** For one service to get where another one waits for it, and for the first answer. */
const WAIT_MS = 120_000;
const LOOK_EVERY_MS = 500;

const called = (what) => `${project}_${what}`;
const podman = (...args) => execFileSync('podman', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
const isFine = (...args) => spawnSync('podman', args, { stdio: 'ignore' }).status === 0;

/** What each key of a service is to podman; lists of arguments, before the image. */
const OPTIONS = {
  user: (user) => ['--user', user],
  read_only: (only) => (only ? ['--read-only'] : []),
  cap_drop: (names) => names.flatMap((each) => ['--cap-drop', each]),
  cap_add: (names) => names.flatMap((each) => ['--cap-add', each]),
  security_opt: (options) => options.flatMap((each) => ['--security-opt', each.replace(':true', '')]),
  restart: (policy) => ['--restart', policy],
  ports: (ports) => ports.flatMap((port) => ['--publish', port]),
  environment: (variables) => Object.entries(variables).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
  entrypoint: (words) => ['--entrypoint', JSON.stringify(words)],
  volumes: (mounts) => mounts.flatMap((mount) => ['--volume', mount.startsWith('./') ? join(folder, mount) : called(mount)]),
  network_mode: (mode) => ['--network', mode.replace(/^service:(.*)$/, (_all, other) => `container:${called(other)}`)],
  networks: (joined, service) =>
    Object.entries(Array.isArray(joined) ? Object.fromEntries(joined.map((each) => [each, {}])) : joined).flatMap(([net, at]) => {
      const fixed = at.ipv4_address === undefined ? '' : `,ip=${at.ipv4_address}`;
      return ['--network', `${called(net)}:alias=${service}${fixed}`];
    }),
  // Asked by hand, below: podman's own timer wants systemd.
  healthcheck: ({ test }) => ['--health-cmd', JSON.stringify(test.slice(1)), '--health-interval', 'disable'],
  image: () => [],
  command: () => [],
  depends_on: () => [],
};

const CONDITIONS = {
  service_completed_successfully: (service) => {
    const state = podman('inspect', '--format', '{{.State.Status}} {{.State.ExitCode}}', called(service));
    // Stopped: podman has not cleaned up after it yet.
    return state === 'exited 0' || state === 'stopped 0';
  },
  service_healthy: (service) => isFine('healthcheck', 'run', called(service)),
};

try {
  for (const [name, { internal, ipam }] of Object.entries(networks)) {
    const addresses = (ipam?.config ?? []).flatMap((config) => ['--subnet', config.subnet, '--ip-range', config.ip_range]);
    podman('network', 'create', ...(internal === true ? ['--internal'] : []), ...addresses, called(name));
  }
  for (const name of Object.keys(volumes)) podman('volume', 'create', called(name));
  const started = new Set();
  for (const service of Object.keys(services)) await start(service, started);
  const answer = await until(`an answer for ${HOST}`, ask);
  console.log(`https://${HOST}/compose through the edge: ${answer.trim()}`);
} catch (error) {
  for (const service of Object.keys(services)) {
    const { stdout, stderr } = spawnSync('podman', ['logs', '--tail', '20', called(service)], { encoding: 'utf8' });
    console.error(`--- ${service}\n${stdout}${stderr}`);
  }
  console.error(error.message);
  process.exitCode = 1;
} finally {
  const names = Object.keys(services).map(called);
  spawnSync('podman', ['rm', '--force', '--time', '2', ...names.reverse()], { stdio: 'ignore' });
  spawnSync('podman', ['volume', 'rm', '--force', ...Object.keys(volumes).map(called)], { stdio: 'ignore' });
  spawnSync('podman', ['network', 'rm', '--force', ...Object.keys(networks).map(called)], { stdio: 'ignore' });
}

async function start(service, started) {
  if (started.has(service)) return;
  started.add(service);
  const described = services[service];
  const [, beside] = /^service:(.*)$/.exec(described.network_mode ?? '') ?? [];
  if (beside !== undefined) await start(beside, started);
  for (const [other, { condition }] of Object.entries(described.depends_on ?? {})) {
    await start(other, started);
    await until(`${other}: ${condition}`, () => CONDITIONS[condition](other));
  }
  const options = Object.entries(described).flatMap(([key, value]) => {
    if (OPTIONS[key] === undefined) throw new Error(`${service} has ${key}, which is not known here`);
    return OPTIONS[key](value, service);
  });
  const own = (process.env.RUN_OPTIONS ?? '').split(' ').filter((word) => word !== '');
  podman(
    'run',
    '--detach',
    '--pull',
    'never',
    '--name',
    called(service),
    ...own,
    ...options,
    described.image,
    ...(described.command ?? []),
  );
  console.log(`${service}: ${podman('inspect', '--format', '{{.State.Status}}', called(service))}`);
}

async function until(what, holds) {
  const giveUpAt = performance.now() + WAIT_MS;
  for (;;) {
    const found = await holds();
    if (found) return found;
    if (performance.now() > giveUpAt) throw new Error(`waited in vain for ${what}`);
    await setTimeout(LOOK_EVERY_MS);
  }
}

/** As a client of this host would, by the published port and with the CA that `prepare` made; undefined until it is a 200. */
function ask() {
  const [outside] = services.edge.ports[0].split(':');
  const state = podman('volume', 'inspect', '--format', '{{.Mountpoint}}', called('state'));
  const ca = readFileSync(join(state, 'pki/apps-ca.crt'));
  return new Promise((resolve) => {
    const options = {
      host: '127.0.0.1',
      port: Number(outside),
      path: '/compose',
      servername: HOST,
      headers: { host: HOST },
      ca,
      agent: false,
    };
    request(options, (response) => {
      let text = `${response.statusCode} `;
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(response.statusCode === 200 ? text : undefined));
    })
      .on('error', () => resolve(undefined))
      .end();
  });
}

/** `${NAME:-otherwise}`, `${NAME:?why}` and `$$`, as Compose has them. */
function interpolated() {
  return readFileSync(join(folder, 'compose.yaml'), 'utf8').replaceAll(
    /\$(?:\$|\{(\w+):([-?])([^}]*)\})/g,
    (_all, name, mark, otherwise) => {
      if (name === undefined) return '$';
      const value = process.env[name];
      if (value) return value;
      if (mark === '?') throw new Error(`${name}: ${otherwise}`);
      return otherwise;
    },
  );
}
