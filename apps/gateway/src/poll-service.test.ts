import { FRESHNESS_MS } from '@sallyport/authority';
import {
  createScene,
  fencing,
  member,
  offered,
  owned,
  POOL,
  runtime,
  SANDBOX,
  type Scene,
  sessionId,
} from '@sallyport/authority/testing';
import { type ConfigRevision, err, failure, ok, type PoolId, type SandboxId } from '@sallyport/model';
import { parsePollResponse, pollRequestMessage } from '@sallyport/wire';
import { expect, test } from 'vitest';
import type { ProveSupervisor } from './credentials.ts';
import type { Joins } from './joins.ts';
import { createPollService } from './poll-service.ts';

const AGE_MS = 1_200;

interface Given {
  /** What the driver says of the credential; absent: the member proved it when it joined here. */
  readonly proof?: Awaited<ReturnType<ProveSupervisor>>;
  readonly age?: number | undefined;
  readonly known?: { readonly revision: bigint; readonly hash?: string };
}

async function poll(given: (scene: Scene) => Given | undefined): Promise<string> {
  const scene = createScene();
  const { proof, known, ...rest } = given(scene) ?? {};
  const age = 'age' in rest ? rest.age : AGE_MS;
  const serve = createPollService({
    world: scene.world,
    joins: { proved: () => proof === undefined } as unknown as Joins,
    prove: async () => proof ?? err(failure('unauthenticated', 'nobody should be asked')),
    ageMs: () => age,
  });
  const config = scene.world.configs.get(SANDBOX)?.value;
  const request = pollRequestMessage({
    ...{ sandboxId: SANDBOX, memberId: member('m0'), sessionId: sessionId('s0'), credential: 'secret' },
    known:
      known === undefined
        ? undefined
        : { revision: known.revision as ConfigRevision, hash: known.hash ?? config?.hash ?? '0'.repeat(64) },
  });
  const answer = await serve(request, {} as never);
  if (!answer.ok) return answer.error.kind === 'fenced' ? `fenced: ${answer.error.clause}` : answer.error.kind;
  const read = parsePollResponse(answer.value);
  if (!read.ok) return 'an answer that cannot be read';
  return `${read.value.configuration === undefined ? 'as known' : `revision ${read.value.configuration.revision}`}, ${read.value.ageMs} ms`;
}

const proves = (changes: { poolId?: string; sandboxId?: string } = {}): Given => ({
  proof: ok({
    poolId: (changes.poolId ?? POOL) as PoolId,
    supervisorUid: '',
    sandboxId: changes.sandboxId as SandboxId | undefined,
  }),
});

const OTHER_HASH = 'f'.repeat(64);
const rows: readonly (readonly [title: string, given: (scene: Scene) => Given | undefined, want: string])[] = [
  ['an owner gets the configuration and the age of the view', () => undefined, 'revision 1, 1200 ms'],
  ['what it holds is not sent again', () => ({ known: { revision: 1n } }), 'as known, 1200 ms'],
  [
    'another revision of the same content is',
    ({ config }) => ({ known: { revision: config(2n).revision - 1n, hash: config(2n).hash } }),
    'revision 2, 1200 ms',
  ],
  ['another content under the same number is', () => ({ known: { revision: 1n, hash: OTHER_HASH } }), 'revision 1, 1200 ms'],
  // A poll may overtake the word that its owner was fenced: what it gets must prove nothing.
  ['a fenced owner is not renewed', (scene) => void scene.owner(fencing('m0', 8, 7)), `revision 1, ${FRESHNESS_MS} ms`],
  ['nor one to whom it is only offered', (scene) => void scene.owner(offered('m0', 8)), `revision 1, ${FRESHNESS_MS} ms`],
  ['nor who stands beside the owner', (scene) => void scene.owner(owned('m1', 8)), `revision 1, ${FRESHNESS_MS} ms`],
  [
    'nor anybody while there is no owner record',
    (s) => void s.remove({ kind: 'owner', sandboxId: SANDBOX }),
    `revision 1, ${FRESHNESS_MS} ms`,
  ],
  ['without authority nothing is answered', () => ({ age: undefined }), 'not-ready'],
  ['nor without a configuration', (scene) => void scene.remove({ kind: 'config', sandboxId: SANDBOX }), 'not-ready'],
  ['nothing of a sandbox that is gone', (scene) => void scene.remove({ kind: 'sandbox', sandboxId: SANDBOX }), 'unknown'],
  ['nothing by a session whose place another has taken', (scene) => void scene.session('m0', 's9'), 'fenced: session'],
  [
    'nothing by a session that is not on record',
    (scene) => void scene.remove({ kind: 'session', sandboxId: SANDBOX, memberId: member('m0') }),
    'fenced: session',
  ],
  ['nothing after its credential was revoked', (scene) => void scene.credential(2n), 'fenced: credential'],
  ['nothing in another life of the workload', (scene) => void scene.sandbox({ runtimeId: runtime('r1') }), 'fenced: runtime'],
  ['a credential that was not proved here is looked at', () => proves(), 'revision 1, 1200 ms'],
  ['one for this very sandbox does', () => proves({ sandboxId: SANDBOX }), 'revision 1, 1200 ms'],
  ['one for another sandbox does not', () => proves({ sandboxId: 'sb-2' }), 'forbidden'],
  ['nor one for another pool', () => proves({ poolId: 'other' }), 'forbidden'],
  ['nor one that proves nothing', () => ({ proof: err(failure('unauthenticated', 'expired')) }), 'unauthenticated'],
];

test.each(rows)('%s', async (_title, given, want) => expect(await poll(given)).toBe(want));

test('what cannot be read is not answered', async () => {
  const { world } = createScene();
  const serve = createPollService({ world, joins: {} as Joins, prove: async () => err(failure('unknown', '')), ageMs: () => 0 });
  await expect(
    serve({ sessionId: '', sandboxId: '', memberId: '', credential: '', knownRevision: 0n, knownHash: '' }, {} as never),
  ).resolves.toMatchObject({ ok: false, error: { kind: 'malformed' } });
});
