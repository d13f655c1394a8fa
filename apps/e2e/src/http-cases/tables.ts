import { bodies } from './bodies.ts';
import { bodiesMore } from './bodies-more.ts';
import { bodiesOfAnswers } from './bodies-of-answers.ts';
import { clientAbort } from './client-abort.ts';
import { errors } from './errors.ts';
import { errorsMore } from './errors-more.ts';
import { hopByHop } from './hop-by-hop.ts';
import { hopByHopMore } from './hop-by-hop-more.ts';
import { isolation } from './isolation.ts';
import { keepAlive } from './keep-alive.ts';
import { keepAliveMore } from './keep-alive-more.ts';
import { moreChanges } from './more-changes.ts';
import { moreConnections } from './more-connections.ts';
import { requestChunks } from './request-chunks.ts';
import { requestFraming } from './request-framing.ts';
import { requestFramingMore } from './request-framing-more.ts';
import { requestHead } from './request-head.ts';
import { requestHeadMore } from './request-head-more.ts';
import type { Row } from './row.ts';
import { slowClients } from './slow-clients.ts';
import { sniHost } from './sni-host.ts';
import { sniHostMore } from './sni-host-more.ts';
import { upstreamDeath } from './upstream-death.ts';
import { upstreamDeathMore } from './upstream-death-more.ts';
import { upstreamErrors } from './upstream-errors.ts';
import { upstreamErrorsMore } from './upstream-errors-more.ts';
import { webSocket } from './websocket.ts';
import { webSocketHandshake } from './websocket-handshake.ts';
import { webSocketMore } from './websocket-more.ts';

type Tables = Readonly<Record<string, readonly Row[]>>;

/** What a parser judges. */
export const requestTables: Tables = {
  'sni-host': [...sniHost, ...sniHostMore],
  'request-framing': [...requestFraming, ...requestFramingMore, ...requestChunks],
  'request-head': [...requestHead, ...requestHeadMore],
};

export const answerTables: Tables = {
  'hop-by-hop': [...hopByHop, ...hopByHopMore],
  bodies: [...bodies, ...bodiesOfAnswers, ...bodiesMore],
  'upstream-errors': [...upstreamErrors, ...upstreamErrorsMore],
};

export const connectionTables: Tables = {
  'slow-clients': slowClients,
  'keep-alive': [...keepAlive, ...keepAliveMore],
  'client-abort': clientAbort,
  'upstream-death': [...upstreamDeath, ...upstreamDeathMore],
  websocket: [...webSocket, ...webSocketHandshake, ...webSocketMore],
  errors: [...errors, ...errorsMore],
  isolation,
  'of several sections': [...moreConnections, ...moreChanges],
};

export const allRows: readonly Row[] = [requestTables, answerTables, connectionTables].flatMap((tables) =>
  Object.values(tables).flat(),
);
