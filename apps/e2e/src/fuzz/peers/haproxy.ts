import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from './process.ts';

/** As it is by default, but for limits that would hide how it reads. */
export const haproxy: Program = {
  name: 'haproxy',
  binaries: ['/usr/sbin/haproxy', 'haproxy'],
  versionArgument: '-v',
  installWith: 'apt-get install -y haproxy',
  quietMs: 400,
  configure(folder, ports) {
    const sections = ports.map(
      ({ proxyPort, appPort }) => `
listen lane${proxyPort}
  bind 127.0.0.1:${proxyPort}
  http-request set-header X-Case %[src_port]
  server app 127.0.0.1:${appPort}
`,
    );
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(
      file,
      `global
  nbthread 1
  maxconn 4000
  tune.bufsize 131072
  tune.http.maxhdr 1024
defaults
  mode http
  timeout connect 2s
  timeout client 2s
  timeout server 2s
  retries 0
${sections.join('')}`,
    );
    return ['-db', '-f', file];
  },
};
