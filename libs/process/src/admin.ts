import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from './listen.ts';
import type { Metrics } from './metrics.ts';
import type { Address } from './setting-kinds.ts';

/** One thing that must hold for traffic to be sent here. `detail` says why not, or how things are. */
export interface ReadyCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string;
}

export interface AdminOptions {
  readonly address: Address;
  readonly metrics: Metrics;
  /** Asked at each /readyz. The process is ready when all hold. */
  readonly ready: () => readonly ReadyCheck[];
}

export interface Admin {
  /** As really bound. */
  readonly address: Address;
  close(): Promise<void>;
}

/** Probes and scrapers; more than these at once is a mistake of theirs that must not cost the data plane its sockets. */
const CONNECTIONS_MAX = 64;
const HEAD_TIMEOUT_MS = 5_000;

/**
 * GET /livez (this process answers), /readyz (every check as JSON; 503 when one fails) and /metrics (Prometheus), as
 * plain HTTP without authentication, therefore on loopback unless an operator chooses otherwise. Throws `CannotStart`.
 */
export async function startAdmin({ address, metrics, ready }: AdminOptions): Promise<Admin> {
  const server = createServer({ requestTimeout: HEAD_TIMEOUT_MS, headersTimeout: HEAD_TIMEOUT_MS }, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(`${error instanceof Error ? error.message : 'failed'}\n`);
    });
  });
  server.maxConnections = CONNECTIONS_MAX;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') return send(response, 405, TEXT, 'only GET and HEAD\n');
    switch ((request.url ?? '').replace(/\?.*/, '')) {
      case '/livez':
        return send(response, 200, TEXT, 'ok\n');
      case '/readyz': {
        const checks = ready();
        const all = checks.every((check) => check.ok);
        return send(response, all ? 200 : 503, 'application/json', `${JSON.stringify({ ready: all, checks })}\n`);
      }
      case '/metrics':
        return send(response, 200, metrics.contentType, await metrics.text());
      default:
        return send(response, 404, TEXT, 'there are /livez, /readyz and /metrics\n');
    }
  }

  const bound = await listen(server, address, 'admin-listen');
  return {
    address: bound,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const TEXT = 'text/plain; charset=utf-8';

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body), 'cache-control': 'no-store' });
  response.end(body);
}
