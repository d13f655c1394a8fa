import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Subject } from './subject.ts';
import { fillIn } from './template.ts';

/** sbin is not on everybody's path. */
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` };

/** Both streams: nginx tells its version on stderr. */
function versionSaidBy(program: string, args: readonly string[]): string | undefined {
  const said = spawnSync(program, args, { encoding: 'utf8', env });
  return said.error === undefined ? /\d+\.\d+[\w.-]*/.exec(said.stdout + said.stderr)?.[0] : undefined;
}

export const nginx: Subject = {
  name: 'nginx',
  version: () => versionSaidBy('nginx', ['-v']),
  installWith: 'apt-get install -y nginx-light',
  cannot: {},
  command: (place) => ({
    program: 'nginx',
    args: ['-p', place.folder, '-e', 'stderr', '-c', fillIn('nginx.conf', place)],
    env: { PATH: env.PATH },
  }),
};

export const haproxy: Subject = {
  name: 'haproxy',
  version: () => versionSaidBy('haproxy', ['-v']),
  installWith: 'apt-get install -y haproxy',
  cannot: {},
  command(place) {
    // It takes certificate and key as one file only.
    const pair = readFileSync(place.certFile, 'utf8') + readFileSync(place.keyFile, 'utf8');
    writeFileSync(join(place.folder, 'pair.pem'), pair, { mode: 0o600 });
    return { program: 'haproxy', args: ['-db', '-f', fillIn('haproxy.cfg', place)], env: { PATH: env.PATH } };
  },
};

export const caddy: Subject = {
  name: 'caddy',
  version: () => versionSaidBy('caddy', ['version']),
  installWith: 'apt-get install -y caddy',
  cannot: {},
  command: (place) => ({
    program: 'caddy',
    args: ['run', '--config', fillIn('caddy.json', place)],
    // One core is all it gets; Go would else start threads for those that it sees.
    env: { PATH: env.PATH, GOMAXPROCS: '1', HOME: place.folder, XDG_DATA_HOME: place.folder, XDG_CONFIG_HOME: place.folder },
  }),
};
