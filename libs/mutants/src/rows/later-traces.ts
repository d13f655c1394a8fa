import type { Row } from './row.ts';

const judge = 'libs/authority/src/judge.ts';
const moves = 'libs/authority/src/moves.ts';
const eligibility = 'libs/catalog/src/eligibility.ts';
const publish = 'apps/gateway/src/publish.ts';
const gateway = 'libs/session/src/gateway.ts';

const trace = (id: string, removes: string, ...changes: Row['changes']): Row => ({
  id,
  kind: 'trace',
  traces: [id.split(' ')[0] as string],
  removes,
  changes,
});

export const laterTraces: readonly Row[] = [
  trace('T11 unknown vectors are settled', 'a vector is written whatever became of the one before', {
    file: 'apps/gateway/src/renewals.ts',
    find: "guards: [present === undefined ? { key, is: 'absent' } : { key, is: 'unmoved-since', revision: present.modRevision }],",
    becomes: 'guards: [],',
  }),
  trace(
    'T12 keys are created',
    'a gateway that enters again puts its old key again',
    {
      file: 'apps/gateway/src/membership.ts',
      find: 'const gatewayId = randomId() as GatewayId;',
      becomes: 'const gatewayId = (firstId ??= randomId()) as GatewayId;',
    },
    {
      file: 'apps/gateway/src/membership.ts',
      find: 'let left = false;',
      becomes: 'let left = false;\n  let firstId: string | undefined;',
    },
    { file: 'apps/gateway/src/membership.ts', find: "guards: [{ key, is: 'absent' }],", becomes: 'guards: [],' },
  ),
  trace(
    'T13 the runtime is compared',
    'a report about another life of the workload is judged and published like any other',
    {
      file: judge,
      find: "if (report.runtimeId !== sandbox.value.runtimeId || onRecord.value.runtimeId !== sandbox.value.runtimeId) return err('runtime');",
      becomes: '',
    },
    { file: publish, find: "{ key: sandboxKey(sandboxId), is: 'unmoved-since', revision: fence.sandbox },", becomes: '' },
    {
      file: eligibility,
      find: "if (sandbox?.modRevision !== fence.sandbox) return err('sandbox');",
      becomes: "if (sandbox === undefined) return err('sandbox');",
    },
    { file: gateway, find: 'world.sandboxes.get(sandboxId)?.value.runtimeId !== onRecord.value.runtimeId', becomes: 'false' },
  ),
  trace('T14 suspicion compares the session', 'an owner is fenced for a session that another gateway has adopted since', {
    file: 'apps/gateway/src/ownership-writes.ts',
    find: "guards.push(session === undefined ? { key, is: 'absent' } : { key, is: 'unmoved-since', revision: session.modRevision });",
    becomes: 'void [session, key];',
  }),
  trace('T15 only its own Join removes a member', 'a member is removed although it has joined again elsewhere', {
    file: 'apps/gateway/src/member-sweeper.ts',
    find: "const guards = [{ key, is: 'unmoved-since', revision: modRevision }] as const;",
    becomes: 'const guards = [void modRevision as never].slice(1);',
  }),
  trace('T16 tokens are bound to a nonce of this life', 'a boundary takes a token for a nonce that it has never issued', {
    file: 'libs/authority/src/boundary.ts',
    find: 'const nonceAt = state.nonces.get(claims.nonce);',
    becomes: 'const nonceAt = state.nonces.get(claims.nonce) ?? now;',
  }),
  trace('T17 only the runtime that was served may confirm', 'the boundary of another life of the workload is asked', {
    file: 'libs/authority/src/bearer.ts',
    find: 'sandbox.runtimeId === owner.runtimeId ? firstInRank(world, sandboxId, sandbox, owner.from) : undefined',
    becomes: 'firstInRank(world, sandboxId, sandbox, owner.from)',
  }),
  trace('T18 an offer has a way out', 'what is offered stays offered', {
    file: moves,
    find: "case 'offered': {",
    becomes: "case 'offered': {\n      if (owner !== undefined) return undefined;",
  }),
  trace("T19 a successor's session is its own record", 'a session takes the place of every other about its sandbox', {
    file: 'apps/gateway/src/session-service.ts',
    find: 'puts: [{ key, value: (opId) => encodeSession(record, opId) }],',
    becomes:
      'puts: [{ key, value: (opId) => encodeSession(record, opId) }],\n' +
      '      deletes: [...world.sessionsOf(sandboxId).keys()].filter((id) => id !== memberId).map((id) => sessionKey(sandboxId, id)),',
  }),
  trace(
    'T20 a draining member stays in the tuple',
    'evidence rests on how its member was last written, not on its creation',
    { file: judge, find: 'memberCreated: member.createRevision,', becomes: 'memberCreated: member.modRevision,' },
    {
      file: publish,
      find: "{ key: memberKey(poolId, memberId), is: 'created-at', revision: fence.memberCreated },",
      becomes: "{ key: memberKey(poolId, memberId), is: 'unmoved-since', revision: fence.memberCreated },",
    },
    {
      file: eligibility,
      find: 'world.members(sandbox.value.poolId).get(memberId)?.createRevision !== fence.memberCreated',
      becomes: 'world.members(sandbox.value.poolId).get(memberId)?.modRevision !== fence.memberCreated',
    },
    {
      file: 'libs/authority/src/successor.ts',
      find: 'fence.memberCreated === world.members(sandbox.value.poolId).get(memberId)?.createRevision',
      becomes: 'fence.memberCreated === world.members(sandbox.value.poolId).get(memberId)?.modRevision',
    },
  ),
  trace('T21 challenged at once after Applied', 'a report about a new configuration waits for the tick', {
    file: gateway,
    find: "(told) => (told.told.state === 'owned' || isSuccessor(told, context.world) ? challenge(told, context) : quiet(told)),",
    becomes: '(told) => quiet(told),',
  }),
  trace('T22 exclusive proves death', 'a member that lives in the place of another proves nothing about it', {
    file: 'apps/gateway/src/joins.ts',
    find: 'if (rivals.length > 0) options.onDead(rivals);',
    becomes: '',
  }),
];
