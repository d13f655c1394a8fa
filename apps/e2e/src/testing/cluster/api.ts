import { request as overHttp } from 'node:http';
import { Agent, request as overHttps } from 'node:https';

/** An API server, and how to come in. */
export interface ApiAccess {
  readonly url: string;
  readonly ca?: string;
  readonly token?: string;
}

/** The few requests that a case makes of an API server; each throws what it is refused. */
export interface ClusterApi {
  get(path: string): Promise<ApiAnswer | undefined>;
  create(path: string, object: object): Promise<ApiAnswer>;
  patch(path: string, change: object): Promise<ApiAnswer>;
  remove(path: string, graceSeconds?: number): Promise<void>;
  close(): void;
}

export interface ApiAnswer {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly status?: {
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  readonly [field: string]: unknown;
}

const ANSWER_MS = 15_000;

export function connectApi({ url, ca, token }: ApiAccess): ClusterApi {
  const isPlain = url.startsWith('http:');
  const agent = isPlain ? undefined : new Agent({ keepAlive: true });

  function send(method: string, path: string, body?: object): Promise<{ readonly code: number; readonly text: string }> {
    return new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = {
        accept: 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(text === undefined
          ? {}
          : {
              'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
              // Node frames no DELETE by itself.
              'content-length': Buffer.byteLength(text),
            }),
      };
      const options = { method, headers, timeout: ANSWER_MS, ...(isPlain ? {} : { ca, agent }) };
      const sent = (isPlain ? overHttp : overHttps)(`${url}${path}`, options, (response) => {
        let said = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          said += chunk;
        });
        response.on('end', () => resolve({ code: response.statusCode ?? 0, text: said }));
        response.on('error', reject);
      });
      sent.on('timeout', () => sent.destroy(new Error(`no answer to ${method} ${path}`)));
      sent.on('error', reject);
      sent.end(text);
    });
  }

  async function must(method: string, path: string, body?: object): Promise<ApiAnswer> {
    const { code, text } = await send(method, path, body);
    if (code >= 300) throw new Error(`${method} ${path}: ${code}: ${messageOf(text)}`);
    return JSON.parse(text) as ApiAnswer;
  }

  return {
    async get(path) {
      const { code, text } = await send('GET', path);
      if (code === 404) return undefined;
      if (code >= 300) throw new Error(`GET ${path}: ${code}: ${messageOf(text)}`);
      return JSON.parse(text) as ApiAnswer;
    },
    create: (path, object) => must('POST', path, object),
    patch: (path, change) => must('PATCH', path, change),
    async remove(path, graceSeconds) {
      const body = graceSeconds === undefined ? undefined : { gracePeriodSeconds: graceSeconds };
      const { code, text } = await send('DELETE', path, body);
      if (code >= 300 && code !== 404) throw new Error(`DELETE ${path}: ${code}: ${messageOf(text)}`);
    },
    close: () => agent?.destroy(),
  };
}

function messageOf(text: string): string {
  try {
    return String((JSON.parse(text) as { message?: string }).message);
  } catch {
    return text.slice(0, 200);
  }
}
