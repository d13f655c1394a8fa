import { Agent, request } from 'node:https';
import { ANSWERS, type Code } from '@sallyport/http1';
import { type Asked, nowMs, type Outcome } from './evidence.ts';

/** Longer than a way to the application may take to be opened: a refusal is worth waiting for. */
const ANSWER_MS = 15_000;
/** One listener, one name. */
export interface Target {
  readonly listener: string;
  readonly port: number;
  readonly sandbox: string;
  readonly host: string;
}

/** Asks every listener for every name it may be asked for, each under an id of its own: most on a connection of their own. */
export interface Prober {
  readonly asked: readonly Asked[];
  /** When what is under way was sent, by id; tunnels put theirs here too. */
  add(asked: Asked): void;
  stop(): Promise<void>;
}

const WARM_EACH = 4;
/** Under way at one listener for one name: past it a stopped listener is left alone until it answers. */
const OPEN_MAX = 40;

export function startProber(targets: () => readonly Target[], ca: string, everyMs: number): Prober {
  const asked: Asked[] = [];
  const open = new Set<Promise<void>>();
  const openAt = new Map<string, number>();
  const warm = new Map<string, Agent>();
  const lives = new Map<string, string>();
  let count = 0;

  function ask(target: Target): void {
    const { listener, sandbox } = target;
    const key = `${listener} ${sandbox}`;
    if ((openAt.get(key) ?? 0) >= OPEN_MAX) return;
    openAt.set(key, (openAt.get(key) ?? 0) + 1);
    count += 1;
    const id = `${listener}.${count}`;
    const sentAt = nowMs();
    const keepsAlive = count % WARM_EACH === 0;
    const agent = keepsAlive
      ? (warm.get(key) ?? new Agent({ keepAlive: true, maxSockets: 2, maxCachedSessions: 0 }))
      : coldAgent();
    if (keepsAlive) warm.set(key, agent);
    const done = get(target, ca, id, agent, lives).then((outcome) => {
      asked.push({ id, sandbox, listener, sentAt, answeredAt: nowMs(), outcome });
      openAt.set(key, (openAt.get(key) ?? 1) - 1);
      open.delete(done);
    });
    open.add(done);
  }

  const timers: NodeJS.Timeout[] = [];
  let turn = 0;
  // Spread over the interval: all at once would measure each other.
  const step = (): void => {
    const all = targets();
    const each = Math.max(1, Math.ceil((all.length * STEP_MS) / everyMs));
    for (let index = 0; index < each; index += 1) {
      const target = all[turn++ % all.length];
      if (target !== undefined) ask(target);
    }
  };
  timers.push(setInterval(step, STEP_MS));
  return {
    asked,
    add: (each) => void asked.push(each),
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(open);
      for (const agent of warm.values()) agent.destroy();
    },
  };
}

const STEP_MS = 20;
const coldAgent = (): Agent => new Agent({ keepAlive: false, maxCachedSessions: 0 });

/** One question; what came of it in our words. */
export function get(
  { host, port, sandbox }: Target,
  ca: string,
  id: string,
  agent: Agent,
  lives: Map<string, string>,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, servername: host, path: `/${id}`, ca, agent, headers: { host } };
    const sent = request(options, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('error', (error: NodeJS.ErrnoException) => resolve({ kind: 'no-answer', why: `cut: ${error.code}` }));
      response.on('end', () => {
        if (!response.complete) return resolve({ kind: 'no-answer', why: 'cut' });
        const code = response.headers['sallyport-error'];
        resolve(judgeAnswer({ status: response.statusCode ?? 0, code: code?.toString(), body }, { id, sandbox }, lives));
      });
    });
    const late = setTimeout(() => sent.destroy(new Error('nothing in time')), ANSWER_MS);
    sent.on('close', () => clearTimeout(late));
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(outcomeOf(error)));
    sent.end();
  });
}

const outcomeOf = ({ code, message }: NodeJS.ErrnoException): Outcome =>
  /unrecognized[_ ]name/i.test(`${code} ${message}`) ? { kind: 'unknown-name' } : { kind: 'no-answer', why: code ?? message };

/** Right is only the very answer to this question from the one life of this workload. */
export function judgeAnswer(
  answer: { readonly status: number; readonly code: string | undefined; readonly body: string },
  asked: { readonly id: string; readonly sandbox: string },
  lives: Map<string, string>,
): Outcome {
  const { status, code, body } = answer;
  if (code !== undefined) {
    const known = Object.hasOwn(ANSWERS, code) ? ANSWERS[code as Code].status : undefined;
    return known === status
      ? { kind: 'refused', why: `${status} ${code}` }
      : { kind: 'wrong', why: `${status} with the code ${code}` };
  }
  if (status !== 200) return { kind: 'wrong', why: `status ${status} that nobody signs` };
  try {
    const said = JSON.parse(body) as { readonly sandbox: string; readonly id: string; readonly life: string };
    if (said.id !== asked.id || said.sandbox !== asked.sandbox)
      return { kind: 'wrong', why: `the answer to ${said.id} of ${said.sandbox}` };
    const life = lives.get(asked.sandbox) ?? said.life;
    lives.set(asked.sandbox, life);
    return life === said.life ? { kind: 'right' } : { kind: 'wrong', why: 'another life of the workload answers' };
  } catch {
    return { kind: 'wrong', why: `a body that is none: ${body.slice(0, 40)}` };
  }
}
