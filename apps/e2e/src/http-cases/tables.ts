import { bodies } from './bodies.ts';
import { bodiesMore } from './bodies-more.ts';
import { clientAbort, upstreamDeath } from './endings.ts';
import { errors } from './errors.ts';
import { hopByHop } from './hop-by-hop.ts';
import { isolation } from './isolation.ts';
import { keepAlive } from './keep-alive.ts';
import { moreConnections } from './more-connections.ts';
import { requestChunks } from './request-chunks.ts';
import { requestFraming } from './request-framing.ts';
import { requestHead } from './request-head.ts';
import type { Row } from './row.ts';
import { slowClients } from './slow-clients.ts';
import { sniHost } from './sni-host.ts';
import { upstreamErrors } from './upstream-errors.ts';
import { webSocket } from './websocket.ts';
import { webSocketMore } from './websocket-more.ts';

type Tables = Readonly<Record<string, readonly Row[]>>;

/** What a parser judges. */
export const requestTables: Tables = {
  'sni-host': sniHost,
  'request-framing': [...requestFraming, ...requestChunks],
  'request-head': requestHead,
};

export const answerTables: Tables = {
  'hop-by-hop': hopByHop,
  bodies: [...bodies, ...bodiesMore],
  'upstream-errors': upstreamErrors,
};

export const connectionTables: Tables = {
  'slow-clients': slowClients,
  'keep-alive': keepAlive,
  'client-abort': clientAbort,
  'upstream-death': upstreamDeath,
  websocket: [...webSocket, ...webSocketMore],
  errors,
  isolation,
  'of several sections': moreConnections,
};

export const allRows: readonly Row[] = [requestTables, answerTables, connectionTables].flatMap((tables) =>
  Object.values(tables).flat(),
);
