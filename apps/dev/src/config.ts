import { accessSync, constants, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, resolve } from 'node:path';
import { err, ok, parseDomain, type Result } from '@sallyport/model';
import { LOG_LEVELS, type ProcessConfig, type Reader, type Reading, readAll, type Source } from '@sallyport/process';
import { parseEndpoints } from '@sallyport/view';
import { takenByNpm } from './npm-options.ts';
import { findTwice, parseServiceOption, SERVICE_FORM, type WantedService } from './service-option.ts';

/** What `npm start` is told; see `--help` for each. */
export function readConfig(source: Source): Reading<Config> {
  const reading = readAll(source, (read) => timed(declare(read)), check);
  const problems = takenByNpm(source.env);
  // What is left of the line is no longer what was meant: its own problems would only lead astray.
  return problems.length > 0 && (reading.kind === 'read' || reading.kind === 'invalid') ? { kind: 'invalid', problems } : reading;
}

export type Config = ReturnType<typeof declare>;

const DEFAULT_PORT = 8443;
export const DEFAULT_STATE_DIR = '.sallyport';

const DRAIN_MS = 600;
/** Supervisors end first, then their gateways, each within half a second; then the etcd. */
const FLEET_DRAIN_MS = 3_000;

const declare = (read: Reader) => ({
  process: {
    // Quiet by default: the screen says what people need.
    logLevel: read.choice('log-level', 'The least serious lines to log.', LOG_LEVELS, { otherwise: 'warn' }),
    adminListen: read.address('admin-listen', 'Where health and metrics are served, as plain HTTP.', {
      otherwise: { host: '127.0.0.1', port: 0 },
    }),
    drainMs: DRAIN_MS,
  } satisfies ProcessConfig,
  services: read.list<WantedService>(
    'service',
    `A port of yours to serve: ${SERVICE_FORM}; again for each. Without it a demo is served.`,
    parseServiceOption,
    {
      placeholder: 'NAME=PORT',
      max: 64,
      // A comma begins a policy of the service: web=5173,host=loopback.
      separator: ' ',
    },
  ),
  port: read.port('port', 'Port of the https URLs; 0 takes any free one.', { otherwise: DEFAULT_PORT, min: 0 }),
  listen: read.parsed('listen', 'Address to listen on; 0.0.0.0 for all interfaces.', parseListen, {
    otherwise: '127.0.0.1',
    placeholder: 'IP',
    show: String,
  }),
  domain: read.parsed('domain', 'Domain of the https URLs.', parseDomain, { otherwise: 'apps.localhost' }),
  delivery: read.choice('delivery', 'How the supervisor gets its configuration.', ['push', 'poll'] as const, {
    otherwise: 'push',
  }),
  mode: read.choice(
    'mode',
    'Whether all sandboxes share one supervisor, or each has its own (on the next ports).',
    ['shared', 'dedicated'] as const,
    { otherwise: 'shared' },
  ),
  readyFile: read.text('ready-file', 'File to write, as JSON, once everything serves.', { optional: true }),
  store: read.parsed('store', 'Where the records are kept: memory, or etcd://host:port[,host:port…].', parseStore, {
    otherwise: [],
    placeholder: 'STORE',
    show: () => 'memory',
  }),
  certFile: read.file('cert', 'Certificate for the applications instead of one of our own, PEM.', { optional: true }),
  keyFile: read.file('key', 'Key of that certificate, PEM.', { optional: true }),
  stateDir: read.text('state-dir', 'Where the CA, the admin token and the ready file are kept; by default .sallyport.', {
    optional: true,
  }),
  processes: read.flag('processes', 'Each service in a process of its own, on a real etcd.'),
  gateways: read.integer('gateways', 'Gateways; with --processes.', { min: 1, max: 9, otherwise: 1 }),
  members: read.integer('members', 'Supervisors of the shared pool; with --processes.', { min: 1, max: 9, otherwise: 1 }),
  edges: read.integer('edges', 'Edge proxies, the first at --port: URLs lead through it; with --processes.', {
    min: 0,
    max: 9,
    otherwise: 0,
  }),
  boundaries: read.flag('boundaries', 'Reach each sandbox through its boundary; with --processes.'),
  etcdBinary: read.file('etcd-binary', 'The etcd to start; by default the one on the PATH.', { optional: true }),
  serveAnyway: read.flag('serve-anyway', 'Serve even if no application listens yet.'),
});

const timed = (config: Config): Config =>
  config.processes ? { ...config, process: { ...config.process, drainMs: FLEET_DRAIN_MS } } : config;

/** Found out before anything is started. The port is said apart. */
const parseListen = (text: string): Result<string, string> =>
  isIP(text) !== 0 || text === 'localhost'
    ? ok(text)
    : err(`${JSON.stringify(text)} is not an address to listen on: write 127.0.0.1, ::1, or 0.0.0.0 for all interfaces`);

/** None: in memory, or with --processes in an etcd of our own. */
const parseStore = (text: string): Result<readonly string[], string> => {
  if (text === 'memory') return ok([]);
  const endpoints = parseEndpoints(text);
  return endpoints.ok || text.startsWith('etcd:')
    ? endpoints
    : err(`${JSON.stringify(text)} is neither memory nor etcd://host:port[,host:port…]`);
};

function check(config: Config): readonly string[] {
  const problems: string[] = [];
  if ((config.certFile === undefined) !== (config.keyFile === undefined))
    problems.push('--cert and --key go together: give both');
  if (
    !config.processes &&
    (config.gateways > 1 || config.members > 1 || config.edges > 0 || config.boundaries || config.etcdBinary !== undefined)
  ) {
    problems.push('--gateways, --members, --edges, --boundaries and --etcd-binary go with --processes: give that too');
  }
  if (!config.processes && config.store.length > 0) problems.push('--store=etcd://… goes with --processes: give that too');
  const twice = findTwice(config.services);
  if (twice !== undefined) problems.push(`--service: ${twice} is given twice; give each service once`);
  const problem = config.readyFile === undefined ? undefined : unwritable(config.readyFile);
  if (problem !== undefined) problems.push(`--ready-file: ${problem}`);
  const state = unwritableDirectory(resolve(config.stateDir ?? DEFAULT_STATE_DIR));
  if (state !== undefined) problems.push(`--state-dir: ${state}`);
  return problems;
}

/** Found out before any port is bound: a stack that cannot say that it is ready is of no use to whoever waits for it. */
function unwritable(path: string): string | undefined {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return `${path} is a directory; name a file`;
    accessSync(dirname(resolve(path)), constants.W_OK);
    return undefined;
  } catch (error) {
    return `${path} cannot be written (${(error as NodeJS.ErrnoException).code}); name a file in a directory that exists and is yours`;
  }
}

/** The nearest ancestor that exists decides: what is missing will be made. */
function unwritableDirectory(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return dirname(path) === path ? `${path} does not exist` : unwritableDirectory(dirname(path));
  if (!found.isDirectory()) return `${path} is a file; name a directory`;
  try {
    accessSync(path, constants.W_OK);
    return undefined;
  } catch {
    return `${path} cannot be written; name a directory that is yours`;
  }
}
