import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from './process.ts';

/** As Debian configures it, but for limits that would hide how it reads, and for one process with nothing of the machine's. */
export const nginx: Program = {
  name: 'nginx',
  binaries: ['/usr/sbin/nginx', 'nginx'],
  versionArgument: '-v',
  installWith: 'apt-get install -y nginx-light',
  quietMs: 0,
  configure(folder, ports) {
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`);
    mkdirSync(join(folder, 'logs'), { recursive: true });
    const servers = ports.map(
      ({ proxyPort, appPort }) => `
  upstream app${appPort} { server 127.0.0.1:${appPort} max_fails=0; keepalive 4; }
  server {
    listen 127.0.0.1:${proxyPort};
    location / {
      proxy_pass http://app${appPort};
      proxy_http_version 1.1;
      proxy_set_header Host $host;
      proxy_set_header X-Case $remote_port;
      proxy_set_header Connection "";
    }
  }`,
    );
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; master_process off; worker_processes 1; pid ${folder}/nginx.pid; error_log /dev/null crit;
events { worker_connections 4096; }
http {
  access_log off;
  ${temporary.join('\n  ')}
  client_max_body_size 0;
  client_header_buffer_size 64k;
  large_client_header_buffers 8 64k;
  keepalive_requests 100000;
  # A client that sent all and its end still wants its answers.
  proxy_ignore_client_abort on;
  proxy_request_buffering on;
  proxy_next_upstream off;
  proxy_buffer_size 64k;
  proxy_buffers 8 64k;
  proxy_busy_buffers_size 128k;
  lingering_close off;
  ${servers.join('\n')}
}
`,
    );
    return ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', '/dev/null'];
  },
};
