import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { discoveryOf } from './discovery.ts';
import { type Asked, createFaults, type Fault, type Faults } from './faults.ts';
import { createLists, type Lists } from './list.ts';
import { createObjectStore, type ObjectStore } from './object-store.ts';
import { createRbac, type Rbac } from './rbac.ts';
import { type Target, targetOf } from './resources.ts';
import { isStatus, type Status, status, statusObject } from './status.ts';
import { createTokens, type Tokens } from './tokens.ts';
import { createWatches, type Watches } from './watches.ts';
import { create, notFound, patch, remove } from './writes.ts';

/** An API server for tests, over real HTTPS: what clients of lists, watches, reviews and Events can see of a real one. */
export interface KubeApi {
  readonly url: string;
  readonly port: number;
  readonly store: ObjectStore;
  readonly lists: Lists;
  readonly watches: Watches;
  readonly rbac: Rbac;
  readonly tokens: Tokens;
  readonly faults: Faults;
  /** `METHOD path?query` of every request, in order. */
  readonly requests: readonly string[];
  /** Who a bearer token is; another one is nobody. */
  knowsBearer(token: string, username: string): void;
  forgetBearer(token: string): void;
  /** Whoever this says is answered no more, and is not told so: connections are reset. Until what is returned is called. */
  cutOff(who: (username: string) => boolean): () => void;
  close(): Promise<void>;
}

export interface KubeApiOptions {
  readonly certPem: string;
  readonly keyPem: string;
  /** Client certificates of this CA are users, by their common name. */
  readonly caPem: string;
  readonly firstVersion?: number;
  readonly port?: number;
}

export async function startKubeApi({ certPem, keyPem, caPem, firstVersion, port = 0 }: KubeApiOptions): Promise<KubeApi> {
  const store = createObjectStore(firstVersion);
  const parts = {
    store,
    lists: createLists(store),
    watches: createWatches(store),
    rbac: createRbac(),
    tokens: createTokens(store, Date.now),
    faults: createFaults(),
  };
  const bearers = new Map<string, string>();
  const requests: string[] = [];
  const cutOff = new Set<(username: string) => boolean>();
  const server = createServer(
    { cert: certPem, key: keyPem, ca: caPem, requestCert: true, rejectUnauthorized: false, keepAliveTimeout: 60_000 },
    (request, response) => void serve(request, response),
  );
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const url = new URL(request.url ?? '/', 'https://api');
    const asked: Asked = { method: request.method ?? '', path: url.pathname, query: url.searchParams };
    requests.push(`${asked.method} ${request.url}`);
    const fault = parts.faults.take(asked);
    if (fault !== undefined && (await spoil(fault, response))) return;
    const username = userOf(request, (token) => bearers.get(token) ?? parts.tokens.usernameOf(token));
    if (username === undefined) return refuse(response, status(401, 'Unauthorized', 'Unauthorized'));
    if ([...cutOff].some((isCutOff) => isCutOff(username))) return void response.destroy();
    const body = await bodyOf(request);
    const answer = answerOf(parts, username, asked, body, response);
    if (answer === undefined) return;
    if (isStatus(answer)) return refuse(response, answer);
    send(response, asked.method === 'POST' ? 201 : 200, answer);
  }

  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    port: (server.address() as AddressInfo).port,
    ...parts,
    requests,
    knowsBearer: (token, username) => void bearers.set(token, username),
    forgetBearer: (token) => void bearers.delete(token),
    cutOff(who) {
      cutOff.add(who);
      // Whose watches these are is not known any more; others open theirs again.
      parts.watches.break();
      return () => void cutOff.delete(who);
    },
    async close() {
      server.close();
      parts.watches.break();
      server.closeAllConnections();
      await once(server, 'close').catch(() => undefined);
    },
  };
}

function answerOf(
  { store, lists, watches, rbac, tokens }: Pick<KubeApi, 'store' | 'lists' | 'watches' | 'rbac' | 'tokens'>,
  username: string,
  { method, path, query }: Asked,
  body: unknown,
  response: ServerResponse,
): object | Status | undefined {
  if (method === 'POST' && path === '/apis/authentication.k8s.io/v1/tokenreviews') {
    const action = { verb: 'create', group: 'authentication.k8s.io', resource: 'tokenreviews', namespace: undefined };
    return rbac.judge(username, action) ?? tokens.review(body);
  }
  // By the built-in role system:basic-user everybody may ask this about themselves.
  if (method === 'POST' && path === '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews')
    return reviewAccess(rbac, username, body);
  if (method === 'POST' && path === '/apis/authorization.k8s.io/v1/subjectaccessreviews') {
    const action = { verb: 'create', group: 'authorization.k8s.io', resource: 'subjectaccessreviews', namespace: undefined };
    return rbac.judge(username, action) ?? reviewAccess(rbac, subjectOf(body), body);
  }
  const found = method === 'GET' ? discoveryOf(path) : undefined;
  if (found !== undefined) return found;
  const target = targetOf(path);
  if (target === undefined) return status(404, 'NotFound', 'the server could not find the requested resource');
  const { resource, namespace, name } = target;
  const verb = verbOf(method, target, query);
  if (verb === undefined)
    return status(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
  const denied = rbac.judge(username, { verb, group: resource.group, resource: resource.plural, namespace });
  if (denied !== undefined) return denied;
  switch (verb) {
    case 'list':
      return lists.list(target, query);
    case 'watch':
      return watches.open(target, query, response);
    case 'get':
      return store.get(resource.plural, namespace ?? '', name ?? '') ?? notFound(resource, name);
    case 'create':
      return create(store, target, body);
    case 'patch':
      return patch(store, target, body);
    case 'delete':
      return remove(store, target, { query, body });
  }
}

const subjectOf = (body: unknown): string => (body as { readonly spec: { readonly user: string } }).spec.user;

function reviewAccess(rbac: Rbac, username: string, body: unknown): object {
  const { spec } = body as { readonly spec: { readonly resourceAttributes: Readonly<Record<string, string | undefined>> } };
  const { verb = '', group = '', resource = '', subresource, namespace } = spec.resourceAttributes;
  const action = {
    verb,
    group,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    namespace: namespace === '' ? undefined : namespace,
  };
  const status = { allowed: rbac.allows(username, action) };
  const { kind } = body as { readonly kind: string };
  return { kind, apiVersion: 'authorization.k8s.io/v1', metadata: {}, spec, status };
}

type Verb = 'get' | 'list' | 'watch' | 'create' | 'patch' | 'delete';

function verbOf(method: string, { name }: Target, query: URLSearchParams): Verb | undefined {
  if (method === 'POST') return name === undefined ? 'create' : undefined;
  if (method === 'PATCH') return name === undefined ? undefined : 'patch';
  if (method === 'DELETE') return name === undefined ? undefined : 'delete';
  if (method !== 'GET') return undefined;
  const watched = query.get('watch');
  if (watched !== null && watched !== 'false' && watched !== '0') return 'watch';
  return name === undefined ? 'list' : 'get';
}

/** True: the request is dealt with. */
async function spoil(fault: Fault, response: ServerResponse): Promise<boolean> {
  switch (fault.kind) {
    case 'status':
      refuse(response, fault.status);
      return true;
    case 'reset':
      response.destroy();
      return true;
    case 'hang':
      return true;
    case 'garbage':
      response.writeHead(200, { 'content-type': 'application/json' }).end('<html>');
      return true;
    case 'held':
      await fault.until;
      return false;
  }
}

function userOf(request: IncomingMessage, whoseIs: (token: string) => string | undefined): string | undefined {
  const [scheme, token = ''] = (request.headers.authorization ?? '').split(' ');
  if (scheme === 'Bearer') return whoseIs(token);
  const socket = request.socket as TLSSocket;
  return socket.authorized ? String(socket.getPeerCertificate().subject.CN) : undefined;
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk as string;
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refuse(response: ServerResponse, refusal: Status): void {
  if (refusal.retryAfter !== undefined) response.setHeader('retry-after', String(refusal.retryAfter));
  send(response, refusal.code, statusObject(refusal));
}

function send(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
