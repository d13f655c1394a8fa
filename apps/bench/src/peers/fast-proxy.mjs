import { createServer } from 'node:https';
import fastProxy from 'fast-proxy';
import { application, place, tls } from './place.mjs';

const { proxy } = fastProxy({ base: application, undici: { connections: 1_200, pipelining: 1 } });
const server = createServer(tls, (request, answer) => proxy(request, answer, request.url, {}));
server.requestTimeout = 0;
server.listen({ host: '127.0.0.1', port: place.port, backlog: 4_096 });
