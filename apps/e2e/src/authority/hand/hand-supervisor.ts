import { type Link, openStream, type Stream, supervisorV1 as sv } from '@sallyport/wire';
import { withUnknownField } from './unknown-field.ts';

type Response = NonNullable<sv.SessionResponse['response']>;
type Case = Response['$case'];
export type Told<C extends Case> = Extract<Response, { $case: C }>['value'];

/** A supervisor that a test plays word by word. Messages carry a field of a later release, which must do no harm. */
export interface HandSession {
  send(request: NonNullable<sv.SessionRequest['request']>): void;
  /** The next message of this kind; others are passed over. */
  hear<C extends Case>(kind: C): Promise<Told<C>>;
  /** Whether one of this kind has been heard so far. */
  heard(kind: Case): boolean;
  readonly closed: Stream<unknown, unknown>['closed'];
  end(): void;
}

const HEARD_WITHIN_MS = 30_000;
const { join, session } = sv.SupervisorServiceService;

export function joinByHand(link: Link, hello: sv.JoinHello) {
  const stream = openStream(link, withUnknownField(join));
  let assignments: readonly sv.Assignment[] = [];
  void (async () => {
    for await (const { response } of stream.received)
      if (response?.$case === 'assignments') assignments = response.value.assignments;
  })();
  stream.send({ request: { $case: 'hello', value: hello } });
  return { assignments: () => assignments, closed: stream.closed, end: () => stream.end() };
}

export function openByHand(link: Link, hello: sv.SessionHello): HandSession {
  const stream = openStream(link, withUnknownField(session));
  const waiting: Response[] = [];
  const kinds = new Set<Case>();
  void (async () => {
    for await (const { response } of stream.received) {
      if (response === undefined) continue;
      kinds.add(response.$case);
      waiting.push(response);
    }
  })();
  stream.send({ request: { $case: 'hello', value: hello } });
  return {
    send: (request) => void stream.send({ request }),
    async hear(kind) {
      const until = performance.now() + HEARD_WITHIN_MS;
      for (;;) {
        const index = waiting.findIndex(({ $case }) => $case === kind);
        const found = index < 0 ? undefined : waiting[index];
        if (found !== undefined) {
          waiting.splice(0, index + 1);
          return found.value as never;
        }
        if (performance.now() > until) throw new Error(`no ${kind} was heard; last: ${waiting.at(-1)?.$case}`);
        await new Promise((again) => setTimeout(again, 5));
      }
    },
    heard: (kind) => kinds.has(kind),
    closed: stream.closed,
    end: () => stream.fail({ kind: 'not-ready', message: 'the test is over' }),
  };
}
