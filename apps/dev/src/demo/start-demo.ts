import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { listen } from '@sallyport/process';
import { createClockStream } from './clock-stream.ts';
import { DEMO_LIMITS, type DemoLimits } from './limits.ts';
import { createMemory } from './memory.ts';
import { createPage } from './page/render.ts';
import { createRouter, pathOf } from './router.ts';
import { createUpload } from './upload.ts';
import { createUpgrades } from './websocket/upgrades.ts';

export interface DemoOptions {
  /** An address of this machine, without a port. */
  readonly address?: string;
  /** 0 takes any free one. */
  readonly port?: number;
  /** What the page tells people to type. */
  readonly service?: string;
  readonly cli?: string;
  readonly limits?: Partial<DemoLimits>;
}

export interface Demo {
  readonly port: number;
  /** Takes leave of live WebSockets and ends; within a moment even if nobody answers. */
  close(): Promise<void>;
}

/** The application that is served when nobody named one: each part of its page shows one thing that passes through the door. */
export async function startDemo({
  address = '127.0.0.1',
  port = 0,
  service = 'team/demo/web',
  cli = 'npm run -s sallyport --',
  limits: changed = {},
}: DemoOptions = {}): Promise<Demo> {
  const limits = { ...DEMO_LIMITS, ...changed };
  const clock = createClockStream(limits);
  const upgrades = createUpgrades(limits);
  const sockets = new Set<Socket>();
  // Requests may last: an upload over a slow line, a clock for a day. Silence is what ends them.
  const server = createServer({ requestTimeout: 0, headersTimeout: 15_000, keepAliveTimeout: 75_000, maxHeaderSize: 65_536 });
  server.maxConnections = limits.connectionMax;
  server.setTimeout(limits.silenceMs);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (request, socket: Socket, head) => {
    // From here on Pings tell a live peer from a dead one.
    socket.setTimeout(0);
    upgrades.handle(pathOf(request), request, socket, head);
  });

  const bound = await listen(server, { host: address, port }, 'service');
  const page = createPage({ service, cli, port: bound.port });
  server.on('request', createRouter({ page, memory: createMemory(), clock, upload: createUpload(limits) }));

  return {
    port: bound.port,
    close: () =>
      new Promise((resolve) => {
        const cut = setTimeout(() => {
          for (const socket of sockets) socket.destroy();
        }, limits.closeMs);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
        upgrades.close();
        clock.close();
        server.closeIdleConnections();
      }),
  };
}
