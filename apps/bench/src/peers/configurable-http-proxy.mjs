import { ConfigurableProxy } from 'configurable-http-proxy';
import { application, place, tls } from './place.mjs';

// As its command wires it; connections to applications are kept by default.
const { proxyServer } = new ConfigurableProxy({ ssl: tls, defaultTarget: application, enableMetrics: false });
proxyServer.requestTimeout = 0;
proxyServer.listen({ host: '127.0.0.1', port: place.port, backlog: 4_096 });
