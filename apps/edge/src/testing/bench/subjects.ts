import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOST } from './host.ts';

/** One proxy under measurement, on a processor of its own. */
export interface Subject {
  readonly name: string;
  readonly port: number;
  /** The process that does the work. */
  readonly pid: number;
  stop(): Promise<void>;
}

export interface Place {
  readonly folder: string;
  readonly backendPort: number;
  readonly port: number;
  /** For taskset. */
  readonly core: string;
}

const ROOT = resolve(import.meta.dirname, '../../../../..');
const START_MS = 10_000;
const MODULE = '/usr/lib/nginx/modules/ngx_stream_module.so';

export const INSTALL: Readonly<Record<string, string>> = {
  nginx: 'apt-get install -y nginx libnginx-mod-stream',
  haproxy: 'apt-get install -y haproxy',
};

export async function startEdge(
  place: Place,
  { target, caFile }: { readonly target: string; readonly caFile: string },
): Promise<Subject> {
  const credential = join(place.folder, 'token');
  writeFileSync(credential, 'e30.e30.sig\n');
  const options = {
    'edge-listen': `127.0.0.1:${place.port}`,
    'admin-listen': '127.0.0.1:0',
    'log-level': 'warn',
    discovery: target,
    'discovery-ca-file': caFile,
    'credential-file': credential,
    'max-connections': '20000',
    'max-connections-per-host': '20000',
    'max-connections-per-client': '20000',
    drain: '0s',
  };
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const main = join(ROOT, 'apps/edge/src/main.ts');
  const child = pinned(place, process.execPath, ['--conditions=@sallyport/source', main, ...args]);
  await listening(place.port);
  return { name: 'edge', port: place.port, pid: child.pid as number, stop: () => stopped(child) };
}

export async function startNginx(place: Place, connectionsMax: number): Promise<Subject | undefined> {
  if (!existsSync(MODULE)) return undefined;
  const file = join(place.folder, 'nginx.conf');
  writeFileSync(
    file,
    `load_module ${MODULE};
worker_processes 1; daemon off; error_log ${place.folder}/nginx.err crit; pid ${place.folder}/nginx.pid;
events { worker_connections ${2 * connectionsMax + 100}; }
stream {
  access_log off;
  map $ssl_preread_server_name $upstream { ${HOST} 127.0.0.1:${place.backendPort}; default 127.0.0.1:1; }
  server { listen 127.0.0.1:${place.port} backlog=4096; ssl_preread on; proxy_pass $upstream; proxy_timeout 1h; }
}
`,
  );
  const master = pinned(place, 'nginx', ['-c', file, '-e', `${place.folder}/nginx.err`]);
  await listening(place.port);
  const pid = Number(readFileSync(`/proc/${master.pid}/task/${master.pid}/children`, 'utf8').trim().split(' ')[0]);
  return { name: 'nginx', port: place.port, pid, stop: () => stopped(master) };
}

export async function startHaproxy(place: Place, connectionsMax: number): Promise<Subject | undefined> {
  if (!existsSync('/usr/sbin/haproxy')) return undefined;
  const file = join(place.folder, 'haproxy.cfg');
  writeFileSync(
    file,
    `global
  nbthread 1
  maxconn ${connectionsMax}
defaults
  mode tcp
  timeout connect 5s
  timeout client 1h
  timeout server 1h
frontend tls
  bind 127.0.0.1:${place.port} backlog 4096
  tcp-request inspect-delay 5s
  tcp-request content accept if { req_ssl_hello_type 1 }
  use_backend web if { req_ssl_sni -i ${HOST} }
backend web
  server one 127.0.0.1:${place.backendPort}
`,
  );
  const child = pinned(place, 'haproxy', ['-db', '-f', file]);
  await listening(place.port);
  return { name: 'haproxy', port: place.port, pid: child.pid as number, stop: () => stopped(child) };
}

const pinned = (place: Place, command: string, args: readonly string[]): ChildProcess =>
  spawn('taskset', ['-c', place.core, command, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((done) => child.once('close', done));
  child.kill('SIGTERM');
  await ended;
}

async function listening(port: number): Promise<void> {
  const until = performance.now() + START_MS;
  while (performance.now() < until) {
    const socket = connect({ host: '127.0.0.1', port });
    const isOpen = await new Promise<boolean>((done) => {
      socket.once('connect', () => done(true));
      socket.once('error', () => done(false));
    });
    socket.destroy();
    if (isOpen) return;
    await sleep(50);
  }
  throw new Error(`nothing listens on ${port}`);
}
