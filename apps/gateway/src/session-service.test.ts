import { member, POOL, runtime, SANDBOX, type Scene } from '@sallyport/authority/testing';
import { err, type Failure, failure, ok, type PoolId, type SandboxId, type StoreRevision } from '@sallyport/model';
import { type SessionRequest, sessionRequestMessage, type supervisorV1 } from '@sallyport/wire';
import { describe, expect, test } from 'vitest';
import type { ProveSupervisor } from './credentials.ts';
import type { Joins } from './joins.ts';
import { createSessionService } from './session-service.ts';
import type { LiveSession, Sessions } from './sessions.ts';
import { compared, recordWrites, writesFor } from './testing/recorded-writes.ts';
import type { Written } from './writer.ts';

interface Given {
  /** What the driver says of the credential; absent: the member proved it when it joined here. */
  readonly proof?: Awaited<ReturnType<ProveSupervisor>>;
  readonly authority?: false;
  readonly outcome?: Written;
  /** After hello. */
  readonly then?: readonly (SessionRequest | 'of a later release' | 'unreadable')[];
  /** Instead of hello. */
  readonly first?: readonly SessionRequest[];
}

const HELLO: SessionRequest = {
  kind: 'hello',
  hello: {
    ...{ sandboxId: SANDBOX, runtimeId: runtime('r0'), memberId: member('m0'), credential: 'secret' },
    capabilities: { advertisements: true, push: true },
  },
};
const BEAT: SessionRequest = { kind: 'heartbeat', sequence: 1 };
const REFUSED: Written = { kind: 'refused', revision: 100n as StoreRevision, failed: [] };

async function call(given: (scene: Scene) => Given | undefined) {
  const stage = recordWrites();
  const { scene, writings } = stage;
  const { proof, authority, outcome, then = [], first = [HELLO] } = given(scene) ?? {};
  if (outcome !== undefined) stage.outcome = outcome;
  const steps: string[] = [];
  const opened: string[] = [];
  const live = {
    sandboxId: SANDBOX,
    step: (event) => void steps.push(event.kind === 'message' ? event.message.kind : event.kind),
    close: () => void steps.push('close'),
  } as Partial<LiveSession> as LiveSession;
  const serve = createSessionService({
    ...writesFor(stage, authority),
    joins: { proved: () => proof === undefined } as unknown as Joins,
    sessions: {
      open(session) {
        opened.push(session.sessionId);
        return live;
      },
    } as Partial<Sessions> as Sessions,
    prove: async () => proof ?? err(failure('unauthenticated', 'nobody should be asked')),
    randomId: () => `new-${writings.length + 1}`,
  });
  // What a caller sends is refused; it never makes the gateway throw.
  const said = await serve({ received: received([...first, ...then]) } as never).then(
    (result) => (result.ok ? 'ok' : spell(result.error)),
    (error) => `threw ${error}`,
  );
  return { scene, writings, steps, opened, said };
}

const spell = (error: Failure): string => (error.kind === 'fenced' ? `fenced: ${error.clause}` : error.kind);

async function* received(requests: readonly (SessionRequest | string)[]): AsyncGenerator<supervisorV1.SessionRequest> {
  for (const request of requests) {
    if (typeof request !== 'string') yield sessionRequestMessage(request);
    else if (request === 'unreadable') yield { request: { $case: 'released', value: { ownerEpoch: 0n } } };
    else yield { request: undefined };
  }
}

const proves = (changes: { poolId?: string; sandboxId?: string } = {}): Given => ({
  proof: ok({
    poolId: (changes.poolId ?? POOL) as PoolId,
    supervisorUid: '',
    sandboxId: changes.sandboxId as SandboxId | undefined,
  }),
});

describe('a session is put on record', () => {
  test.each([true, false])('under a new id, and compares what it took the place of (was there one: %s)', async (was) => {
    const { scene, writings, opened } = await call((s) =>
      was ? undefined : void s.remove({ kind: 'session', sandboxId: SANDBOX, memberId: member('m0') }),
    );
    const { world } = scene;
    expect(opened).toEqual(['new-1']);
    expect(writings.map(compared)).toEqual([
      [
        `credential/sb unmoved-since ${world.credentials.get(SANDBOX)?.modRevision}`,
        `sandbox/sb unmoved-since ${world.sandboxes.get(SANDBOX)?.modRevision}`,
        was ? `session/sb/m0 unmoved-since ${world.session(SANDBOX, member('m0'))?.modRevision}` : 'session/sb/m0 absent',
      ],
    ]);
    // Session and ownership are independent, and so are the sessions of owner and successor (T19).
    expect(writings.map(({ puts, deletes }) => [puts.length, deletes])).toEqual([[1, undefined]]);
  });

  const rows: readonly (readonly [title: string, given: (scene: Scene) => Given | undefined, want: string])[] = [
    ['not by a gateway without authority', () => ({ authority: false }), 'not-ready'],
    ['not about a sandbox that is gone', (s) => void s.remove({ kind: 'sandbox', sandboxId: SANDBOX }), 'unknown'],
    ['not about one without a credential', (s) => void s.remove({ kind: 'credential', sandboxId: SANDBOX }), 'unknown'],
    ['not in another life of the workload', (s) => void s.sandbox({ runtimeId: runtime('r1') }), 'fenced: runtime'],
    ['not by who has not joined', (s) => void s.leave('m0'), 'fenced: member'],
    ['not by a credential that proves nothing', () => ({ proof: err(failure('unauthenticated', '')) }), 'unauthenticated'],
    ['not by one for another pool', () => proves({ poolId: 'other' }), 'forbidden'],
    ['not by one for another sandbox', () => proves({ sandboxId: 'sb-2' }), 'forbidden'],
    ['not before hello', () => ({ first: [BEAT] }), 'malformed'],
    ['not by who says nothing', () => ({ first: [] }), 'ok'],
  ];
  test.each(rows)('%s', async (_title, given, want) => {
    const { said, writings, opened } = await call(given);
    expect([said, writings, opened]).toEqual([want, [], []]);
  });

  test.each([proves(), proves({ sandboxId: SANDBOX })])('by a credential that is proved now', async (given) => {
    expect(await call(() => given)).toMatchObject({ said: 'ok', opened: ['new-1'] });
  });

  const outcomes: readonly (readonly [title: string, outcome: Written, want: string, writings: number])[] = [
    ['is looked at again while its records move, three times', REFUSED, 'conflict', 3],
    ['is not repeated when its outcome is unknown', { kind: 'unknown', message: '' }, 'not-ready', 1],
    ['is not repeated without authority', { kind: 'no-authority' }, 'not-ready', 1],
  ];
  test.each(outcomes)('%s', async (_title, outcome, want, count) => {
    const { said, writings, opened } = await call(() => ({ outcome }));
    expect([said, writings.length, opened]).toEqual([want, count, []]);
  });
});

describe('an open session', () => {
  const rows: readonly (readonly [title: string, then: Given['then'], said: string, steps: readonly string[]])[] = [
    ['steps by each message, and closes with its stream', [BEAT, BEAT], 'ok', ['heartbeat', 'heartbeat', 'close']],
    ['leaves out what a later release says', ['of a later release', BEAT], 'ok', ['heartbeat', 'close']],
    ['ends by a second hello', [HELLO, BEAT], 'malformed', ['close']],
    ['ends by what cannot be read', ['unreadable', BEAT], 'malformed', ['close']],
  ];
  test.each(rows)('%s', async (_title, then, said, steps) => {
    const called = await call(() => (then === undefined ? undefined : { then }));
    expect([called.said, called.steps]).toEqual([said, steps]);
  });
});
