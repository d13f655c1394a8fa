import { Agent } from 'node:http';
import { createServer } from 'node:https';
import { createProxyServer } from 'http-proxy-3';
import { application, place, tls } from './place.mjs';

const proxy = createProxyServer({ target: application, agent: new Agent({ keepAlive: true }), xfwd: true });
proxy.on('error', (_error, _request, answer) => answer?.destroy());
const server = createServer(tls, (request, answer) => proxy.web(request, answer));
// Without an agent: a tunnel takes its connection for itself.
server.on('upgrade', (request, socket, head) => proxy.ws(request, socket, head, { agent: undefined }));
server.requestTimeout = 0;
server.listen({ host: '127.0.0.1', port: place.port, backlog: 4_096 });
