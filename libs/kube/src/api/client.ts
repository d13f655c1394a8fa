import { err, ok, type Result } from '@sallyport/model';
import { Agent, type Dispatcher, request } from 'undici';
import type { Access } from './access.ts';
import type { Credentials, Held } from './credentials.ts';
import { createLines } from './lines.ts';
import { numberOf, objectOf, textOf } from './objects.ts';
import { type Trouble, trouble, troubleOf } from './trouble.ts';

export type Query = Readonly<Record<string, string | number | undefined>>;

/** What we ask of an API server; nothing here retries but a token that was replaced. */
export interface KubeClient {
  get(path: string, query?: Query, signal?: AbortSignal): Promise<Result<unknown, Trouble>>;
  post(path: string, body: unknown, signal?: AbortSignal): Promise<Result<unknown, Trouble>>;
  /** Until the server ends it (undefined), something breaks, or `signal`. */
  watch(path: string, query: Query, handlers: WatchHandlers): Promise<Trouble | undefined>;
  close(): Promise<void>;
}

export interface WatchHandlers {
  readonly signal: AbortSignal;
  readonly onOpen: () => void;
  readonly onLine: (line: string) => void;
}

/** To connect, and to the head of an answer; milliseconds. */
const ANSWER_MS = 30_000;
const CONNECT_MS = 10_000;

export interface ClientLimits {
  /** A page of 500 large Pods. What has more is asked for in smaller pages. */
  readonly bodyBytesMax: number;
  /** From the question to the end of its answer, its wait for a connection included: longer than servers take. Milliseconds. */
  readonly wholeMs: number;
}
const LIMITS: ClientLimits = { bodyBytesMax: 64 * 1_024 * 1_024, wholeMs: 60_000 };

/**
 * Connections at a time of each kind. Each has its own, so that reviews that hang keep nobody from the Pods. Watches are as many as
 * there are namespaces to observe, and each has one for itself: one that waited for another to end would see nothing.
 */
const CONNECTIONS_MAX = { watch: null, get: 32, post: 32 } as const;
type Lane = keyof typeof CONNECTIONS_MAX;
const LANES = Object.keys(CONNECTIONS_MAX) as Lane[];

export function createKubeClient(
  access: Access,
  credentials: Credentials,
  { bodyBytesMax, wholeMs }: ClientLimits = LIMITS,
): KubeClient {
  let used: { readonly held: Held; readonly agents: Readonly<Record<Lane, Agent>> } | undefined;

  /** Connections last as long as what was trusted for them does; a watch that runs on the old ones ends in its own time. */
  function agents(): Readonly<Record<Lane, Agent>> {
    const held = credentials.current();
    if (used !== undefined && sameTrust(used.held, held)) return used.agents;
    if (used !== undefined) for (const lane of LANES) void used.agents[lane].close();
    const { ca, cert, key } = held;
    const open = (lane: Lane): Agent =>
      new Agent({
        connect: { ca, cert, key, servername: access.serverName, timeout: CONNECT_MS },
        connections: CONNECTIONS_MAX[lane],
        pipelining: 1,
        allowH2: false,
        headersTimeout: ANSWER_MS,
      } as Agent.Options);
    used = { held, agents: { watch: open('watch'), get: open('get'), post: open('post') } };
    return used.agents;
  }

  async function send(
    options: { readonly lane: Lane; readonly path: string; readonly query: Query; readonly body?: unknown },
    { signal, bodyTimeout }: { readonly signal: AbortSignal; readonly bodyTimeout: number },
  ): Promise<Result<Dispatcher.ResponseData, Trouble>> {
    const { lane, path, query, body } = options;
    for (let attempt = 0; ; attempt += 1) {
      const { token } = credentials.current();
      try {
        const answer = await request(`${access.server}${path}${queryText(query)}`, {
          method: lane === 'post' ? 'POST' : 'GET',
          dispatcher: agents()[lane],
          headers: {
            accept: 'application/json',
            'user-agent': 'sallyport',
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          body: body === undefined ? null : JSON.stringify(body),
          bodyTimeout,
          signal,
        });
        if (answer.statusCode === 401 && attempt === 0) {
          await answer.body.dump();
          await credentials.reload();
          continue;
        }
        return answer.statusCode < 300 ? ok(answer) : err(await refusal(answer, bodyBytesMax));
      } catch (error) {
        return err(unreachable(error));
      }
    }
  }

  async function json(options: Parameters<typeof send>[0], given?: AbortSignal): Promise<Result<unknown, Trouble>> {
    const whole = AbortSignal.timeout(wholeMs);
    const signal = given === undefined ? whole : AbortSignal.any([given, whole]);
    const answer = await send(options, { signal, bodyTimeout: ANSWER_MS });
    if (!answer.ok) return answer;
    const text = await bounded(answer.value.body, bodyBytesMax);
    if (!text.ok) return text;
    try {
      return ok(JSON.parse(text.value) as unknown);
    } catch {
      return err(trouble('malformed', 'the answer is not JSON'));
    }
  }

  return {
    get: (path, query = {}, signal) => json({ lane: 'get', path, query }, signal),
    post: (path, body, signal) => json({ lane: 'post', path, query: {}, body }, signal),
    async watch(path, query, { signal, onOpen, onLine }) {
      // Silence is judged by who watches, on the process's clock.
      const answer = await send({ lane: 'watch', path, query }, { signal, bodyTimeout: 0 });
      if (!answer.ok) return answer.error;
      onOpen();
      const push = createLines(onLine);
      try {
        for await (const chunk of answer.value.body) {
          if (signal.aborted) break;
          if (!push(chunk as Uint8Array)) {
            answer.value.body.destroy();
            return trouble('too-large', 'an event is longer than any object');
          }
        }
        return undefined;
      } catch (error) {
        return unreachable(error);
      }
    },
    async close() {
      for (const lane of LANES) await used?.agents[lane].destroy();
    },
  };
}

const sameTrust = (a: Held, b: Held): boolean => a.ca === b.ca && a.cert === b.cert && a.key === b.key;

function queryText(query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.append(name, String(value));
  return given.size === 0 ? '' : `?${given.toString()}`;
}

const unreachable = (error: unknown): Trouble => {
  const { code, message } = error as NodeJS.ErrnoException;
  return trouble('unreachable', code === undefined ? message : `${code}: ${message}`);
};

async function refusal(answer: Dispatcher.ResponseData, bytesMax: number): Promise<Trouble> {
  const text = await bounded(answer.body, bytesMax);
  let message = '';
  try {
    const status = objectOf(JSON.parse(text.ok ? text.value : ''));
    message = textOf(status.message);
    // A proxy before the server may say 200 to what the server refuses; the other way round its word is the HTTP status.
    return troubleOf(numberOf(status.code) || answer.statusCode, message, retryAfter(answer));
  } catch {
    return troubleOf(answer.statusCode, message, retryAfter(answer));
  }
}

const retryAfter = ({ headers }: Dispatcher.ResponseData): number => Number(headers['retry-after'] ?? 0);

async function bounded(
  body: AsyncIterable<unknown> & { destroy(): unknown },
  bytesMax: number,
): Promise<Result<string, Trouble>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += (chunk as Buffer).length;
      if (bytes > bytesMax) {
        body.destroy();
        return err(trouble('too-large', `the answer has more than ${bytesMax} bytes`));
      }
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    return err(unreachable(error));
  }
  return ok(Buffer.concat(chunks).toString('utf8'));
}
