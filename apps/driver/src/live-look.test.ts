import { trouble } from '@sallyport/kube';
import { type PodShape, pod, podObject } from '@sallyport/kube/testing';
import { err, ok } from '@sallyport/model';
import { createManualClock } from '@sallyport/process/manual-clock';
import { describe, expect, test } from 'vitest';
import { createLiveLook, LOOK_STANDS_MS } from './live-look.ts';

const shape: PodShape = { ips: ['10.0.0.7'] };
const live = (change: PodShape = {}, uid = 's1') => {
  const object = podObject('pod-s1', { ...shape, ...change, uid });
  return ok({ ...object, metadata: { ...object.metadata, resourceVersion: '9' } });
};

function create(answer: () => unknown = () => live()) {
  const clock = createManualClock();
  const asked: string[] = [];
  const get = async (path: string) => {
    asked.push(path);
    return answer() as never;
  };
  return { clock, asked, look: createLiveLook({ get }, clock) };
}

describe('a Pod is confirmed', () => {
  const rows: [title: string, answer: () => unknown, want: string | RegExp][] = [
    ['that is there, with its address', () => live(), 'confirmed'],
    ['not: it is gone', () => err(trouble('missing', '404')), /^fenced: .*is gone/],
    ['not: another one has its name', () => live({}, 's2'), /^fenced: .*is gone/],
    ['not: it has another address', () => live({ ips: ['10.0.0.8'] }), /^fenced: .*another address/],
    ['not: it is not ready', () => live({ ready: false }), /^fenced: .*not ready/],
    ['not: it is being deleted', () => live({ deleting: true }), /^fenced: .*not ready/],
    ['not: it has ended', () => live({ phase: 'Failed' }), /^fenced: .*not ready/],
    ['not yet: the server does not answer', () => err(trouble('unreachable', 'reset')), /^not-ready: /],
    ['not yet: the server does not let us look', () => err(trouble('forbidden', '403')), /^not-ready: /],
    ['not: what comes is no Pod', () => ok('x'), /^fenced: /],
  ];
  test.each(rows)('%s', async (_title, answer, want) => {
    const confirmed = await create(answer).look.confirm(pod('s1', shape));
    const said = confirmed.ok ? 'confirmed' : `${confirmed.error.kind}: ${confirmed.error.message}`;
    if (typeof want === 'string') expect(said).toBe(want);
    else expect(said).toMatch(want);
  });
});

describe('it is looked at', () => {
  type Scene = ReturnType<typeof create>;
  const same = pod('s1', shape);
  const rows: [title: string, act: (scene: Scene) => Promise<unknown>, asked: number, answer?: () => unknown][] = [
    ['once for many questions', async ({ look }) => [await look.confirm(same), await look.confirm(same)], 1],
    ['once for many at once', ({ look }) => Promise.all([look.confirm(same), look.confirm(same)]), 1],
    [
      'again after a minute',
      async ({ look, clock }) => [await look.confirm(same), clock.advance(LOOK_STANDS_MS), await look.confirm(same)],
      2,
    ],
    [
      'not before',
      async ({ look, clock }) => [await look.confirm(same), clock.advance(LOOK_STANDS_MS - 1), await look.confirm(same)],
      1,
    ],
    [
      'again when it has another address',
      async ({ look }) => [await look.confirm(same), await look.confirm(pod('s1', { ips: ['10.0.0.8'] }))],
      2,
    ],
    [
      'again when it was not confirmed',
      async ({ look }) => [await look.confirm(same), await look.confirm(same)],
      2,
      () => err(trouble('missing', '')),
    ],
  ];
  test.each(rows)('%s', async (_title, act, asked, answer) => {
    const scene = create(answer);
    await act(scene);
    expect(scene.asked).toHaveLength(asked);
  });
});
