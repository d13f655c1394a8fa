import {
  advance,
  CHUNK_END,
  type Code,
  type ConnectionEvent,
  type ConnectionState,
  chunkHead,
  forwardInterim,
  forwardResponse,
  forwardSwitch,
  lastChunk,
  mayRepeat,
  type Plan,
  planResponse,
  type RequestHead,
} from '@sallyport/http1';
import type { Instant } from '@sallyport/model';
import { type Admitted, admitRequest } from './admission.ts';
import type { AppConnection, AppUser } from './app-connection.ts';
import type { ClientSide } from './client-side.ts';
import type { ServingInstance } from './instance.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import type { Ending } from './records.ts';
import { answerOurselves, CODE_OF_REVOCATION, refusalOfDial } from './refusal.ts';
import type { Carrier, CloseReason } from './streams.ts';
import { startTunnel, type Tunnel } from './tunnel.ts';

/** One request and its answer, or the tunnel that came of it. The client connection tells it what the client does. */
export interface Exchange {
  /** It can take more of the request now. */
  wantsRequest(): boolean;
  requestData(data: Buffer): void;
  requestEnd(): void;
  /** The rest of the request is unreadable. */
  requestBroken(code: Code, reason: string): void;
  /** Sends on what was taken of the request in this turn. */
  flushRequest(): void;
  /** All of the answer was written, and is only on its way to the system. */
  answerWhole(): boolean;
  clientDrained(): void;
  /** The client has ended or lost its connection. */
  clientGone(): void;
  /** Present once the exchange has become a tunnel; then it takes all that the client does. */
  tunnel(): Tunnel | undefined;
  tick(now: Instant): void;
  revoke(reason: CloseReason): void;
}

const nothing = (): void => {};

/**
 * Runs one exchange, from a head that is well-formed to `finish`, where every path ends. `state` is the life of the client
 * connection as http1 writes it down; what is here besides is the way to the application.
 */
export function startExchange(client: ClientSide, instance: ServingInstance, head: RequestHead): Exchange {
  const { surroundings, outbox } = client;
  const { clock, limits } = surroundings;
  const startedAt = clock.now();
  let state: ConnectionState = advance('idle', 'request-head');
  let over = false;
  let lastActivityAt = startedAt;

  /** Absent if the request was refused as it came. */
  let admitted: Admitted | undefined;

  let app: AppConnection | undefined;
  let toApp: Outbox | undefined;
  let dialling: AbortController | undefined;
  let appBlocked = false;
  let clientBlocked = false;

  let plan: Plan | undefined;
  let tunnel: Tunnel | undefined;
  let status = 0;
  let bytesIn = 0;
  let bytesOut = 0;

  const step = (event: ConnectionEvent): void => {
    state = advance(state, event);
  };
  const requestWhole = (): boolean => state === 'received' || state === 'answering' || state === 'answered';
  /** Nothing of a final answer was sent yet. */
  const unanswered = (): boolean => state === 'receiving' || state === 'received';

  // --- the way to the application

  function begin() {
    const verdict = admitRequest(client, instance, head, carrier, startedAt);
    if (!verdict.ok) return refuse(verdict.error.code, verdict.error.reason, verdict.error.host);
    admitted = verdict.value;
    const waiting = instance.pool.take(admitted.route.key);
    if (waiting === undefined) void dial(admitted);
    else send(waiting, admitted, startedAt);
  }

  async function dial(to: Admitted): Promise<void> {
    const dial = new AbortController();
    dialling = dial;
    const dialled = await instance.pool.dial(to.route, dial.signal);
    dialling = undefined;
    if (over || !unanswered()) {
      if (dialled.ok) dialled.value.socket.destroy();
      return;
    }
    if (!dialled.ok) return refuse(...refusalOfDial(dialled.error));
    const now = clock.now();
    const lapsed = instance.lapsedAt(now);
    if (lapsed !== undefined) {
      dialled.value.socket.destroy();
      return refuse(lapsed, 'lapsed while dialling');
    }
    send(dialled.value, to, now);
    client.readRequest();
  }

  /** Queues the head; it leaves with as much of the body as is here, in `flushRequest`. */
  function send(connection: AppConnection, { asked, headText }: Admitted, now: Instant): void {
    app = connection;
    app.user = appUser;
    app.answers.expect(head, asked.webSocket);
    toApp = connection.outbox ??= createOutbox(app.socket, () => connection.user?.appDrained(), surroundings.slabs);
    toApp.text(headText);
    appBlocked = false;
    lastActivityAt = now;
  }

  function sendGathered(): void {
    if (over || app === undefined || toApp === undefined || !maySend()) return;
    appBlocked = !toApp.flush();
  }

  function dropApp(): void {
    dialling?.abort();
    if (app === undefined) return;
    app.user = undefined;
    app.socket.destroy();
    app = undefined;
  }

  // --- the application's answer

  /** Checked for every piece, in both directions: past the deadline not one byte more. */
  function maySend(): boolean {
    const now = clock.now();
    lastActivityAt = now;
    if (now < instance.until()) return true;
    carrier.revoke('expired')();
    return false;
  }

  function relayAnswer() {
    if (app === undefined || clientBlocked || !maySend()) return;
    const { answers } = app;
    for (;;) {
      switch (answers.read()) {
        case 'interim':
          step('interim');
          outbox.text(forwardInterim(answers.head, head));
          break;
        case 'head':
          beginAnswer();
          break;
        case 'data':
          sendAnswerData(answers.data);
          break;
        case 'end':
          return endAnswer();
        case 'switched':
          return openTunnel();
        case 'more':
          return flushAnswer();
        case 'closed':
          return repeatOrRefuse();
        case 'truncated':
          return fail('app-gone', 'the answer was cut short');
        case 'rejected':
          return fail('app-protocol', answers.rejection.reason);
      }
    }
  }

  function beginAnswer(): void {
    if (app === undefined || admitted === undefined) return;
    const closing = client.closing() || !requestWhole();
    plan = planResponse(head, app.answers.head, closing);
    status = app.answers.head.status;
    step('answer-head');
    outbox.text(forwardResponse(app.answers.head, plan, admitted.asked.host, admitted.policy));
  }

  function sendAnswerData(data: Buffer) {
    bytesOut += data.length;
    if (plan?.framing !== 'chunked') return outbox.bytes(data);
    outbox.text(chunkHead(data.length));
    outbox.bytes(data);
    outbox.text(CHUNK_END);
  }

  function flushAnswer(): void {
    clientBlocked = !outbox.flush();
    if (clientBlocked) app?.socket.pause();
    else app?.socket.resume();
  }

  function endAnswer(): void {
    if (app === undefined || plan === undefined) return;
    if (plan.framing === 'chunked') outbox.text(lastChunk(app.answers.trailers));
    const sentWhole = requestWhole() && !appBlocked;
    step('answer-end');
    // After a refused upgrade an application may have lost count of what this connection is: never use it again.
    if (app.answers.reusable() && sentWhole && !app.ended && admitted?.asked.webSocket === false) {
      instance.pool.give(app);
      app = undefined;
    } else dropApp();
    outbox.flushAll(answerLeft);
  }

  /** The exchange counts as live until here, so that a revocation still finds what the client has not taken. */
  function answerLeft(error?: Error | null) {
    if (over || error) return;
    finish('complete');
    client.answered(plan?.close === true);
  }

  /** The connection ended without a byte. The second attempt dials, so there is no third. */
  function repeatOrRefuse() {
    const again = app?.reused === true && mayRepeat(head);
    dropApp();
    if (!again || admitted === undefined) return refuse('app_protocol', 'the connection ended before an answer');
    void dial(admitted);
  }

  function fail(ending: 'app-gone' | 'app-protocol', reason: string) {
    if (unanswered()) return refuse('app_protocol', reason);
    dropApp();
    outbox.flush();
    finish(ending, undefined, reason);
    // A length or chunks say themselves that they are not whole; a body that ends with the connection needs a reset.
    client.cut(plan?.framing === 'until-close' ? 'reset-flushed' : 'close-flushed');
  }

  const appUser: AppUser = {
    appData(lent) {
      // What cannot go on now stays unread, longer than it is lent for.
      const chunk = clientBlocked ? Buffer.from(lent) : lent;
      if (app?.answers.push(chunk) === false) app.socket.pause();
      relayAnswer();
    },
    appEnded() {
      app?.answers.endOfInput();
      relayAnswer();
    },
    appDrained() {
      appBlocked = false;
      client.readRequest();
    },
    appLost(reason) {
      // A body that would end with the connection must not seem whole because the connection was reset.
      if (plan !== undefined && app?.answers.head.framing === 'until-close' && !app.ended) return fail('app-gone', reason);
      if (app?.ended === false) app.answers.endOfInput();
      relayAnswer();
    },
  };

  function openTunnel(): void {
    if (app === undefined || toApp === undefined || admitted === undefined) return;
    step('switch');
    status = app.answers.head.status;
    outbox.text(forwardSwitch(app.answers.head, admitted.asked.host, admitted.policy));
    tunnel = startTunnel({ client, app, appOutbox: toApp, instance, onEnd: endTunnel });
  }

  function endTunnel(ending: Ending): void {
    bytesIn = tunnel?.bytesIn() ?? 0;
    bytesOut = tunnel?.bytesOut() ?? 0;
    app = undefined;
    finish(ending);
  }

  // --- ends

  /** Answers in the application's place. What is already here of the request is dropped, so that the connection may live. */
  function refuse(code: Code, reason: string, host = admitted?.asked.host ?? ''): void {
    dropApp();
    admitted?.leave();
    while (state === 'receiving') {
      const event = client.requests.read();
      if (event === 'end') step('request-end');
      else if (event !== 'data') break;
    }
    if (admitted !== undefined) instance.note(code, client.serverName, reason);
    const close = !requestWhole() || client.closing();
    const answer = answerOurselves(code, { request: head, host, close });
    step('answer-head');
    step('answer-end');
    status = answer.status;
    outbox.text(answer.text);
    outbox.flushAll((error) => {
      if (over || error) return;
      finish('refused', code, reason);
      client.answered(answer.close);
    });
  }

  function finish(ending: Ending, code?: Code, reason?: string): void {
    if (over) return;
    over = true;
    admitted?.leave();
    const query = head.target.indexOf('?');
    surroundings.onExchange({
      kind: tunnel === undefined ? 'http' : 'tunnel',
      status,
      ending,
      code,
      reason,
      method: head.method,
      path: query < 0 ? head.target : head.target.slice(0, query),
      host: client.serverName,
      sandboxId: instance.sandboxId,
      service: admitted?.route.service,
      bytesIn,
      bytesOut,
      durationMs: clock.now() - startedAt,
      client: admitted?.origin.client ?? client.peer.address,
    });
  }

  const carrier: Carrier = {
    revoke(reason) {
      if (over) return nothing;
      if (tunnel !== undefined) return tunnel.close(reason);
      if (dialling !== undefined && unanswered()) {
        refuse(instance.lapsedAt(clock.now()) ?? CODE_OF_REVOCATION[reason], reason);
        return nothing;
      }
      client.cut('reset');
      return () => {
        dropApp();
        finish(reason);
      };
    },
  };

  const exchange: Exchange = {
    wantsRequest: () => app !== undefined && !appBlocked && (state === 'receiving' || state === 'early-answering'),
    requestData(data) {
      bytesIn += data.length;
      if (toApp === undefined || !maySend()) return;
      if (head.framing !== 'chunked') return toApp.bytes(data);
      toApp.text(chunkHead(data.length));
      toApp.bytes(data);
      toApp.text(CHUNK_END);
    },
    requestEnd() {
      step('request-end');
      if (head.framing === 'chunked') toApp?.text(lastChunk(client.requests.trailers));
    },
    requestBroken(code, reason) {
      if (unanswered()) return refuse(code, reason);
      dropApp();
      finish('client-gone', code, reason);
      client.cut('close-flushed');
    },
    flushRequest() {
      if (over || app === undefined || toApp === undefined) return;
      if (requestWhole()) appBlocked = !toApp.flush();
      else toApp.whenGathered(sendGathered);
    },
    answerWhole: () => state === 'answered' || state === 'early-answered',
    clientDrained() {
      clientBlocked = false;
      if (app !== undefined) relayAnswer();
    },
    clientGone() {
      dropApp();
      finish('client-gone');
    },
    tunnel: () => tunnel,
    tick(now) {
      if (over) return;
      if (tunnel !== undefined) return tunnel.tick(now);
      const silentMs = now - lastActivityAt;
      if (state === 'received' && silentMs >= limits.firstByteMs) return refuse('app_timeout', 'no answer in time');
      if (silentMs < limits.streamSilenceMs) return;
      dropApp();
      finish('silent');
      client.cut('reset');
    },
    revoke: (reason) => carrier.revoke(reason)(),
  };
  begin();
  return exchange;
}
