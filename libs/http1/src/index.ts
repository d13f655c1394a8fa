/**
 * A strict HTTP/1.1 codec without I/O, and the rules of an intermediary.
 *
 * Bytes go in by `push`, events come out of `read`; heads to send are made as latin1 strings. Nothing here waits, keeps
 * time or knows a socket. `B` below is Buffer in practice.
 *
 * The client side of one connection:
 *
 *     const reader = createRequestReader<Buffer>(limits);          // once a connection
 *     on data:   if (!reader.push(chunk)) socket.pause();          // pipelining, or a tunnel's early bytes: bounded
 *     on FIN:    reader.endOfInput();
 *     loop:      switch (reader.read()) {
 *       'head':      const checked = checkRequest(reader.head);    // ok: route by value.host; else answer value.error.code
 *                    const head = forwardRequest(reader.head, checked.value, { policy, port, forwardedFor });
 *       'data':      write reader.data upstream; around it chunkHead and CHUNK_END if reader.head.framing is 'chunked'
 *       'end':       write lastChunk(reader.trailers) if chunked; then do not call read until the answer is sent whole
 *       'more':      stop the loop; socket.resume()
 *       'rejected':  writeAnswer(reader.rejection.code, { host: '', close: true, asksHead: reader.asksHead() }); flush; drain a little; close
 *       'closed':    idle and gone: close.   'truncated': the client gave up: abort upstream
 *     }
 *   An answer of our own to a head that was read: writeAnswer(code, context), and close if answerCloses(code, context).
 *   A client's FIN ends an exchange that is running: do not wait for 'truncated' behind an unread pipeline.
 *   `reader.head` stays the same object until the next 'head'; keep it for the exchange.
 *   Waiting for a final answer after 'end', go on pushing (so that an abort is seen) until push answers false.
 *
 * The application side of one connection:
 *
 *     const answers = createResponseReader<Buffer>(limits);        // once a connection
 *     answers.expect(request, asked.webSocket);                    // once an exchange, before its first byte can come
 *     on data:   answers.push(chunk); on FIN: answers.endOfInput();
 *     loop:      switch (answers.read()) {
 *       'interim':   const text = forwardInterim(answers.head, request); if (text !== '') write it
 *       'head':      const plan = planResponse(request, answers.head, draining || requestNotWhole);
 *                    write forwardResponse(answers.head, plan, asked.host, policy)
 *       'data':      write answers.data, framed as plan.framing says
 *       'end':       if plan.framing is 'chunked', write lastChunk(answers.trailers); if plan.close, end the client side
 *                    pool the connection if answers.reusable() and the request was sent whole; else destroy it
 *       'switched':  write forwardSwitch(answers.head, asked.host, policy); then see Tunnel
 *       'closed':    before any byte: on a reused connection and mayRepeat(request), once more on a new one; else 502
 *       'truncated', 'rejected':  502 app_protocol if no head was sent yet; else destroy the client side (never a clean end)
 *     }
 *   A reset counts as the end of input too, but not inside a body that ends with the connection (head.framing 'until-close'):
 *   there it would make a part seem whole, so cut the client off instead.
 *   A pooled connection that delivers anything, or ends, while nobody waits is destroyed.
 *
 * Tunnel: after 'switched', write answers.takeRest() to the client and reader.takeRest() to the application, then splice.
 *   Until the 101 the client's bytes stay unread in its reader; if the application refuses, they are the next request.
 *
 * `advance` keeps the order of all this honest: one call at each step of the client connection.
 */
export { type AnswerContext, answerCloses, writeAnswer, writePlainHttpAnswer } from './answers.ts';
export type { Bytes } from './bytes.ts';
export { type Asked, type Checked, checkRequest, mayRepeat } from './check-request.ts';
export { CHUNK_END, chunkHead, lastChunk } from './chunk-writer.ts';
export { ANSWERS, type AnswerRow, type Code, type Rejection } from './codes.ts';
export { advance, type ConnectionEvent, type ConnectionState } from './connection-state.ts';
export { FIELD, type FieldKind } from './field-kind.ts';
export { forwardRequest, type RequestContext } from './forward-request.ts';
export { forwardInterim, forwardResponse, forwardSwitch } from './forward-response.ts';
export { continueForwardedFor, statedAddresses } from './forwarded.ts';
export type { Fields, Framing, Head, RequestHead, ResponseHead } from './head.ts';
export { type HostPort, parseHost } from './host.ts';
export { DEFAULT_LIMITS, type Limits } from './limits.ts';
export { type Plan, planResponse } from './plan-response.ts';
export { DEFAULT_POLICY, type ServicePolicy } from './policy.ts';
export { createRequestReader, type RequestEvent, type RequestReader } from './request-reader.ts';
export { createResponseReader, type ResponseEvent, type ResponseReader } from './response-reader.ts';
