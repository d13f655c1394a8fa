const NARROWS = 'The compiler asks for it.';

/** Guards that change nothing that anybody could see when they are taken out, each with the reason. */
export const spared: Readonly<Record<string, string>> = {
  "libs/authority/src/judge.ts judgeSuccessor: owner.kind === 'owned'": 'successorOf names nobody for what is not owned.',
  "libs/authority/src/successor.ts readySuccessor: owner?.value.kind !== 'owned'":
    'successorOf names nobody for what is not owned.',
  'libs/authority/src/judge.ts judgeSuccessor: owner.by !== session.memberId': 'successorOf never names the owner itself.',
  'libs/session/src/supervisor.ts report: state.standing.running':
    'To stop takes the session away, and without one nothing is reported.',
  // The compiler would not let anybody leave these out: what follows is not there, or has another shape, unless they hold.
  "libs/authority/src/bearer.ts fenceBearer: owner?.kind !== 'fencing'": NARROWS,
  "libs/authority/src/successor.ts successorOf: owner?.kind !== 'owned'": NARROWS,
  "libs/session/src/gateway.ts askFence: owner?.kind !== 'fencing'": 'fenceBearer names nobody unless something is fenced.',
  'libs/authority/src/moves.ts moveFor: next?.ok && to !== undefined': NARROWS,
  'libs/authority/src/moves.ts moveFor: next?.ok && to !== undefined (2)': NARROWS,
  'libs/authority/src/moves.ts moveFor: next?.ok && to !== undefined (3)': NARROWS,
  'libs/authority/src/moves.ts moveFor: next?.ok': NARROWS,
  'libs/authority/src/moves.ts moveFor: next?.ok (2)': NARROWS,
  'libs/authority/src/moves.ts moveFor: next?.ok (3)': NARROWS,
};
