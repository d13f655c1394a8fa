import { fencing, offered, owned, runtime, service } from '@sallyport/authority/testing';
import { describe, expect, test } from 'vitest';
import { type Conversation, type ConversationOptions, createConversation } from './testing/index.ts';

const WEB = 'team--demo--web.apps.test';
const API = 'team--demo--api.apps.test';

/** m0 owns epoch 7 and has just opened session s1; all that was said so far is forgotten. */
function serving(options: ConversationOptions = {}): Conversation {
  const talk = createConversation(options);
  talk.open('s1');
  if (options.capabilities?.push === false) talk.poll();
  talk.run(1_000);
  talk.transcript();
  return talk;
}

describe('golden transcripts: what is said, by whom, when', () => {
  test('a member is offered a sandbox, installs, owns, reports and serves', () => {
    const talk = createConversation();
    talk.scene.owner(offered('m0', 8));
    talk.open('s1');
    talk.run(5_600);
    expect(talk.transcript()).toMatchInlineSnapshot(`
      "  0.00 gateway    accepted s1
        0.00 gateway    ownership offered 8
        0.00 gateway    configuration 1
        0.00 gateway    challenge 1
        0.01 supervisor heartbeat 1
        0.01 supervisor applied 1 under 8
        0.01 supervisor report 1: 1 under 8, 1 routes
        0.02 gateway    heartbeat-ack 1 age 20
        0.02            (refused: owner)
        0.03 gateway    ownership owned 8
        0.03 gateway    challenge 2
        0.04 supervisor report 2: 1 under 8, 1 routes
        0.05 gateway    serving-lease for report 2 of 8
        4.00 gateway    challenge 3
        4.01 supervisor report 3: 1 under 8, 1 routes
        5.00 gateway    serving-lease for report 3 of 8
        5.50 supervisor heartbeat 2
        5.51 gateway    heartbeat-ack 2 age 510"
    `);
    expect(talk.outcome(WEB)).toBe('admitted');
  });

  test('a new configuration: pushed, applied, asked about at once, leased by its publication (T21)', () => {
    const talk = serving();
    talk.change((scene) => scene.config(2n, [service('web', 8080), service('api', 9000)]));
    talk.run(100);
    expect(talk.transcript()).toMatchInlineSnapshot(`
      "  1.00 gateway    configuration 2
        1.01 supervisor applied 2 under 7
        1.02 gateway    challenge 3
        1.03 supervisor report 3: 2 under 7, 2 routes
        1.04 gateway    serving-lease for report 3 of 7"
    `);
    expect([talk.outcome(WEB), talk.outcome(API)]).toEqual(['admitted', 'admitted']);
  });

  test('a rejected configuration takes with it what it replaced; the next good one brings all back', () => {
    const talk = serving({
      rejects: ({ services }) => (services.some(({ port }) => port === 22) ? 'port 22 is reserved' : undefined),
    });
    talk.change((scene) => scene.config(2n, [service('web', 22)]));
    talk.run(100);
    expect(talk.transcript()).toMatchInlineSnapshot(`
      "  1.00 gateway    configuration 2
        1.01 supervisor rejected 2 under 7: port 22 is reserved
        1.02 gateway    challenge 3
        1.03 supervisor report 3: 2 under 7, 0 routes
        1.04            (refused: routes)"
    `);
    expect(talk.outcome(WEB)).toBe('route_withdrawn');
    talk.change((scene) => scene.config(3n, [service('web', 8080)]));
    talk.run(100);
    expect(talk.outcome(WEB)).toBe('admitted');
  });

  test('changes that come while one is under way are sent as one: the latest wins', () => {
    const talk = serving();
    for (const revision of [2n, 3n, 4n]) talk.change((scene) => scene.config(revision, [service('web', Number(revision))]));
    talk.run(40);
    expect(talk.transcript()).toMatchInlineSnapshot(`
      "  1.00 gateway    configuration 2
        1.01 supervisor applied 2 under 7
        1.02 gateway    configuration 4
        1.02 gateway    challenge 3
        1.03 supervisor applied 4 under 7
        1.03 supervisor report 3: 4 under 7, 1 routes
        1.04 gateway    challenge 4"
    `);
  });

  test('a drain: the owner stops admitting, says so until it is written, and is nobody’s', () => {
    const talk = serving();
    talk.drain();
    talk.run(100);
    expect(talk.transcript()).toMatchInlineSnapshot(`
      "  1.00 gateway    release 7
        1.01 supervisor released 7
        1.02 gateway    release-ack 7
        1.02 gateway    ownership none 0"
    `);
    expect(talk.outcome(WEB)).toBe('draining');
    expect(talk.scene.world.owners.get('sb' as never)?.value).toEqual({ kind: 'released', epoch: 7n });
  });

  test('a suspect that is back: it stops, acknowledges the fencing epoch, and serves under it', () => {
    const talk = serving();
    talk.change((scene) => scene.owner(fencing('m0', 8, 7)));
    talk.run(12);
    expect(talk.outcome(WEB)).toBe('not_fresh');
    talk.run(100);
    expect(talk.transcript()).toMatchInlineSnapshot(`
      "  1.00 gateway    ownership offered 8
        1.01 supervisor applied 1 under 8
        1.02 gateway    ownership owned 8
        1.02 gateway    challenge 3
        1.03 supervisor report 3: 1 under 8, 1 routes
        1.05 gateway    serving-lease for report 3 of 8"
    `);
    expect(talk.outcome(WEB)).toBe('admitted');
  });

  test('an older supervisor: neither pushes nor challenges nor leases, and it works on', () => {
    const talk = createConversation({ mode: 'dedicated', capabilities: { advertisements: false, push: false } });
    talk.scene.owner(offered('m0', 8));
    talk.open('s1');
    talk.poll();
    talk.run(5_600);
    expect(talk.transcript()).toMatchInlineSnapshot(`
      "  0.00 gateway    accepted s1
        0.00 gateway    ownership offered 8
        0.01 supervisor heartbeat 1
        0.02 supervisor applied 1 under 8
        0.03 gateway    heartbeat-ack 1 age 30
        0.04 gateway    ownership owned 8
        5.50 supervisor heartbeat 2
        5.51 gateway    heartbeat-ack 2 age 510"
    `);
    expect(talk.outcome(WEB)).toBe('admitted');
  });

  test('a poll brings what a push would; a heartbeat does not keep alive what the next poll will withdraw', () => {
    const talk = serving({ mode: 'dedicated', capabilities: { push: false } });
    talk.change((scene) => scene.config(2n, [service('api', 9000)]));
    talk.run(6_000);
    expect(talk.transcript()).toMatchInlineSnapshot(`
      "  4.00 gateway    challenge 3
        4.01 supervisor report 3: 1 under 7, 1 routes
        4.02            (refused: configuration)
        5.50 supervisor heartbeat 2"
    `);
    talk.poll();
    talk.run(100);
    expect(talk.transcript()).toMatchInlineSnapshot(`
      "  7.02 supervisor applied 2 under 7
        7.03 gateway    heartbeat-ack 2 age 2030
        7.03 gateway    challenge 4
        7.04 supervisor report 4: 2 under 7, 1 routes
        7.05 gateway    serving-lease for report 4 of 7"
    `);
    expect([talk.outcome(WEB), talk.outcome(API)]).toEqual(['route_withdrawn', 'admitted']);
  });

  test('a session of a member that polls hears from its first poll how the configuration was answered', () => {
    const talk = serving({ mode: 'dedicated', capabilities: { push: false } });
    talk.open('s2');
    talk.poll();
    talk.run(40);
    talk.poll();
    talk.run(40);
    expect(talk.transcript()).toMatchInlineSnapshot(`
      "  1.00 gateway    accepted s2
        1.00 gateway    ownership owned 7
        1.00 gateway    challenge 1
        1.01 supervisor heartbeat 1
        1.01 supervisor report 1: 1 under 7, 1 routes
        1.02 supervisor applied 1 under 7
        1.02 gateway    serving-lease for report 1 of 7
        1.03 gateway    heartbeat-ack 1 age 1030
        1.03 gateway    challenge 2
        1.04 supervisor report 2: 1 under 7, 1 routes"
    `);
  });
});

describe('a session ends, and says by what', () => {
  const rows: [title: string, act: (talk: Conversation) => void, clause: string][] = [
    ['another has taken its place', (talk) => talk.change((scene) => scene.session('m0', 's2')), 'session'],
    ['the workload was replaced', (talk) => talk.change((scene) => scene.sandbox({ runtimeId: runtime('r1') })), 'runtime'],
    [
      'the sandbox was deleted',
      (talk) => talk.change((scene) => scene.remove({ kind: 'sandbox', sandboxId: 'sb' as never })),
      'runtime',
    ],
    ['its credential was revoked', (talk) => talk.change((scene) => scene.credential(2n)), 'credential'],
  ];
  test.each(rows)('%s', (_title, act, clause) => {
    const talk = serving();
    act(talk);
    talk.run(20_000);
    expect(talk.transcript()).toBe(`  1.00 gateway    ends the session: ${clause}`);
    // Nobody took the time that it had; nobody gives it more.
    expect(talk.outcome(WEB)).toBe('lease_expired');
  });

  test('even before it began: nothing follows but the end', () => {
    const talk = createConversation();
    talk.scene.sandbox({ runtimeId: runtime('r1') });
    const session = talk.scene.session('m0', 's1', { runtimeId: runtime('r0') });
    expect(session.sessionId).toBe('s1');
    talk.openAs(session);
    talk.run(100);
    expect(talk.transcript()).toMatchInlineSnapshot(`
      "  0.00 gateway    accepted s1
        0.00 gateway    ends the session: runtime"
    `);
  });

  test('for the other owner it is none of its business', () => {
    const talk = serving();
    talk.change((scene) => scene.owner(owned('m1', 9)));
    talk.run(100);
    expect(talk.transcript()).toMatchInlineSnapshot(`"  1.00 gateway    ownership none 0"`);
    expect(talk.outcome(WEB)).toBe('not_fresh');
  });
});
