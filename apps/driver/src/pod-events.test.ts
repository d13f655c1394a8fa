import { trouble } from '@sallyport/kube';
import { pod } from '@sallyport/kube/testing';
import { err, ok } from '@sallyport/model';
import { createLog } from '@sallyport/process';
import { createManualClock } from '@sallyport/process/manual-clock';
import { describe, expect, test } from 'vitest';
import { createPodEvents, eventOf } from './pod-events.ts';

function create(answer: (signal: AbortSignal) => unknown = () => ok({})) {
  const clock = createManualClock();
  const written: string[] = [];
  const post = async (path: string, _body: unknown, signal?: AbortSignal) => {
    written.push(path);
    return answer(signal as AbortSignal) as never;
  };
  const log = createLog({ level: 'silent' });
  return {
    clock,
    written,
    events: createPodEvents({ client: { post }, clock, log, timestamp: () => '2026-01-01T00:00:00Z', instance: 'd1' }),
  };
}
type Scene = ReturnType<typeof create>;
const one = pod('u1');
const many = (events: Scene['events'], count: number, namespace = 'default'): void => {
  for (let n = 0; n < count; n += 1) events.report(`${namespace}${n}`, pod(`${namespace}${n}`, { namespace }), 'p');
};

describe('an Event is written', () => {
  const rows: [title: string, act: (scene: Scene) => unknown, count: number][] = [
    ['once for one problem', ({ events }) => [events.report('u1', one, 'p'), events.report('u1', one, 'p')], 1],
    ['for each problem', ({ events }) => [events.report('u1', one, 'p'), events.report('u1', one, 'q')], 2],
    ['for each Pod', ({ events }) => [events.report('u1', one, 'p'), events.report('u2', pod('u2'), 'p')], 2],
    [
      'again after an hour',
      ({ events, clock }) => [events.report('u1', one, 'p'), clock.advance(3_600_000), events.report('u1', one, 'p')],
      2,
    ],
    [
      'not again before',
      ({ events, clock }) => [events.report('u1', one, 'p'), clock.advance(3_599_999), events.report('u1', one, 'p')],
      1,
    ],
    ['no more than ten at once of one namespace', ({ events }) => many(events, 50), 10],
    ['no more than twenty at once', ({ events }) => ['a', 'b', 'c'].map((namespace) => many(events, 50, namespace)), 20],
    ['then one each two seconds', ({ events, clock }) => [many(events, 50), clock.advance(4_000)], 12],
    ['for all of them in the end', ({ events, clock }) => [many(events, 50), clock.advance(120_000)], 50],
    [
      'for one of another namespace at once, whatever one namespace is full of',
      ({ events, written }) => {
        many(events, 2_000);
        written.length = 0;
        events.report('u1', pod('u1', { namespace: 'calm' }), 'p');
      },
      1,
    ],
    [
      'for one of another namespace within two turns, however long that has been so',
      ({ events, written, clock }) => {
        many(events, 2_000);
        many(events, 20, 'busy');
        written.length = 0;
        events.report('u1', pod('u1', { namespace: 'calm' }), 'p');
        clock.advance(6_000);
        written.splice(0, Number.POSITIVE_INFINITY, ...written.filter((path) => path.includes('/calm/')));
      },
      1,
    ],
    [
      'not for a problem that was mended before its turn',
      ({ events, clock }) => [many(events, 11), events.report('default10', pod('default10'), ''), clock.advance(60_000)],
      10,
    ],
    [
      'not for a Pod that is gone before its turn',
      ({ events, clock }) => [many(events, 11), events.report('default10', undefined, ''), clock.advance(60_000)],
      10,
    ],
  ];
  test.each(rows)('%s', (_title, act, count) => {
    const scene = create();
    act(scene);
    expect(scene.written).toHaveLength(count);
  });
  test.each([['conflict'], ['forbidden'], ['unreachable']] as const)('and %s disturbs nothing', async (kind) => {
    const scene = create(() => err(trouble(kind, '')));
    scene.events.report('u1', one, 'p');
    await Promise.resolve();
    expect(scene.written).toEqual(['/api/v1/namespaces/default/events']);
  });
});

test('writes that hang are given up', async () => {
  const given: AbortSignal[] = [];
  const { events, clock } = create((signal) => {
    given.push(signal);
    return new Promise(() => undefined);
  });
  many(events, 100);
  await clock.advanceAsync(60_000);
  expect(given.filter(({ aborted }) => !aborted).length).toBeLessThan(5);
  expect(given.length).toBeGreaterThan(30);
});

test('its name follows from what it says and when, to the hour: replicas write it once', () => {
  const name = (problem: string, at: string) =>
    (eventOf(one, problem, at, 'any') as { metadata: { name: string } }).metadata.name;
  expect(name('p', '2026-01-01T10:00:00Z')).toBe(name('p', '2026-01-01T10:59:00Z'));
  expect(name('p', '2026-01-01T10:00:00Z')).not.toBe(name('q', '2026-01-01T10:00:00Z'));
  expect(name('p', '2026-01-01T10:00:00Z')).not.toBe(name('p', '2026-01-01T11:00:00Z'));
});
test('it is about the Pod of that UID, and no longer than it may be', () => {
  expect(eventOf(one, 'x'.repeat(5_000), '2026-01-01T10:00:00Z', 'd')).toMatchObject({
    involvedObject: { kind: 'Pod', uid: 'u1' },
    type: 'Warning',
    message: 'x'.repeat(1_024),
  });
});
test('its name is one, wherever the name of the Pod is cut', () => {
  const long = pod('u1');
  for (const cut of ['-', '.', '--']) {
    const name = `${'a'.repeat(200 - cut.length)}${cut}b`;
    const made = eventOf({ ...long, name }, 'p', '2026-01-01T10:00:00Z', 'd') as { metadata: { name: string } };
    expect(made.metadata.name).toMatch(/^a+\.[0-9a-f]{16}$/);
  }
});
