// Makes what the processes of compose.yaml are given, once: certificates, keys, tokens, and what the static driver knows. It runs in the
// image of the command line, as root, since the volume is root's; what it makes belongs to the user that the others run as.
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chownSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const state = process.env.SALLYPORT_STATE ?? '/state';
const cli = process.env.SALLYPORT_CLI ?? '/app/main.mjs';
const domain = process.env.SALLYPORT_DOMAIN ?? 'apps.localhost';
const address = process.env.SALLYPORT_SUPERVISOR_ADDRESS ?? '172.31.77.10';
const USER = 65532;

const pki = join(state, 'pki');
const run = (...args) => execFileSync(process.execPath, [...process.execArgv, cli, 'pki', ...args], { encoding: 'utf8' });

run('files', pki, '--domain', domain, '--names', 'gateway-1,gateway-2,discovery,localhost');
secret('admin.token', () => run('token', pki, '--principal', 'compose-admin', '--role', 'admin', '--days', '365'));
secret('edge.token', () => run('token', pki, '--principal', 'edge', '--role', 'reader', '--days', '365'));

const credential = randomBytes(32).toString('base64url');
if (!existsSync(join(state, 'static.json'))) {
  const credentialSha256 = createHash('sha256').update(credential).digest('hex');
  secret('supervisor.token', () => credential);
  put('static.json', {
    workloads: [{ workspace: 'team', sandbox: 'demo', runtimeId: 'demo-1', services: [{ service: 'web', port: 8080 }] }],
    supervisors: [{ uid: 'supervisor-1', pool: 'shared', address, credentialSha256 }],
  });
}
if (process.getuid?.() === 0) hand(state);

function secret(name, make) {
  const file = join(state, name);
  if (!existsSync(file)) writeFileSync(file, make(), { mode: 0o600 });
}

function put(name, value) {
  writeFileSync(join(state, name), `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
}

function hand(folder) {
  chownSync(folder, USER, USER);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) hand(path);
    else chownSync(path, USER, USER);
  }
}
