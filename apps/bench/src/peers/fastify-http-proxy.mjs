import proxy from '@fastify/http-proxy';
import fastify from 'fastify';
import { application, place, tls } from './place.mjs';

const server = fastify({ https: tls, logger: false, bodyLimit: 1_024 ** 3, requestTimeout: 0 });
server.register(proxy, {
  upstream: application,
  websocket: true,
  // Connections to the application as there are clients, as with the others; a thousand of them read events.
  undici: { connections: 1_200, pipelining: 1, bodyTimeout: 0 },
});
await server.listen({ host: '127.0.0.1', port: place.port, backlog: 4_096 });
