import { HEARTBEAT_EVERY_MS } from '@sallyport/catalog';
import { describeEtcd } from '@sallyport/store/testing/etcd';
import { gatewayV1 } from '@sallyport/wire';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { AppProcess } from '../authority/rig/app-process.ts';
import { milliseconds, record } from '../authority/rig/figures.ts';
import { isReady, target } from '../authority/rig/installation.ts';
import { readMetric } from '../authority/rig/metrics.ts';
import { sleep, until } from '../authority/rig/until.ts';
import { HEARS_WITHIN_MS, judge, type Outage, RECORD_LIFE_MS } from '../discovery/judge.ts';
import type { Reader } from '../discovery/reader.ts';
import { type DiscoveryRig, startDiscoveryRig } from '../discovery/rig.ts';
import { type Standing, type Truth, truthOf } from '../discovery/truth.ts';

/** Nobody is suspected in the first 20 s of a gateway; then 2 s of suspicion, 17 s, and the new installation. */
const ABRUPT_MS = 45_000;
const RECOVERS_MS = 60_000;
const STEADY_MS = 1_500;
const methods = gatewayV1.GatewayServiceService;

describeEtcd('two discovery replicas are followed, and judged by the history of the store', () => {
  let rig: DiscoveryRig;
  let box = '';
  let other = '';
  const outages: Outage[] = [];
  let judgedUpTo = 0;

  beforeAll(async () => {
    rig = await startDiscoveryRig();
  }, 120_000);
  afterAll(() => rig.close());

  /** Whatever was said or held in an act, at any moment of it. */
  afterEach(() => {
    const samples = rig.samples.slice(judgedUpTo);
    judgedUpTo += samples.length;
    const violations = judge(truth(), samples, outages);
    console.log(`judged ${samples.length} answers by ${rig.history.steps.length} revisions: ${violations.length} violations`);
    expect(violations.slice(0, 10)).toEqual([]);
    expect(rig.contradictions).toEqual([]);
  });

  let known: { readonly count: number; readonly truth: Truth } | undefined;
  function truth(): Truth {
    const { steps } = rig.history;
    if (known?.count !== steps.length) known = { count: steps.length, truth: truthOf(steps) };
    return known.truth;
  }
  const standing = (host: string): Standing | undefined =>
    truth().standings.find((each) => each.host === host && each.to === Number.POSITIVE_INFINITY);
  const hold = (reader: Reader, host: string, epoch: bigint): boolean =>
    reader.records().some((each) => each.host === host && each.epoch === epoch);
  const everybody = (): readonly Reader[] => [...rig.readers, rig.wanderer];
  /** Until both replicas' readers hold all that stands, as it stands. */
  const complete = (what: string, withinMs: number): Promise<number> =>
    until(
      what,
      () => {
        const stands = rig.hosts.map(standing);
        return everybody().every((reader) => stands.every((each) => each !== undefined && hold(reader, each.host, each.epoch)));
      },
      withinMs,
    );
  const holder = async (): Promise<AppProcess> => {
    for (const each of rig.installation.supervisors)
      if (each.alive() && ((await readMetric(each.adminPort(), 'sallyport_supervisor_serving_hosts')) ?? 0) > 0) return each;
    throw new Error('nobody serves');
  };
  /** When the first sample after `from` of each reader met it, counted from the commit; the latest of them. */
  function heardMs(
    committedAt: number,
    from: number,
    isSo: (hosts: ReadonlySet<string>, epochs: ReadonlySet<bigint>) => boolean,
  ) {
    const heard = everybody().map(({ name }) => {
      const found = rig.samples.find(
        ({ by, at, records }) =>
          by === name && at >= from && isSo(new Set(records.map(({ host }) => host)), new Set(records.map(({ epoch }) => epoch))),
      );
      return (found?.at ?? Number.POSITIVE_INFINITY) - committedAt;
    });
    return Math.max(...heard);
  }
  /** How long a reader was without a record of this host, at the longest. */
  function longestWithout(host: string, from: number): number {
    const to = performance.now();
    const gaps = everybody().map(({ name }) => {
      const had = rig.samples.filter(
        ({ by, at, records }) => by === name && at >= from && records.some((each) => each.host === host),
      );
      const marks = [from, ...had.map(({ at }) => at), to];
      return Math.max(...marks.slice(1).map((at, index) => at - (marks[index] as number)));
    });
    return Math.max(...gaps);
  }
  const tell = (act: string, what: string, value: number, bound?: number): void => {
    milliseconds(`discovery: ${act}`, what, value, bound === undefined ? '' : `< ${bound}`);
    if (bound !== undefined) expect(value).toBeLessThan(bound);
  };
  async function wander(act: string, at: number): Promise<void> {
    const kind = await rig.wanderer.moveTo(target(rig.replicas[at] as AppProcess, 'discovery'));
    record({ case: `discovery: ${act}`, what: 'a token of one replica, at the other', value: kind, unit: '', bound: 'delta' });
    expect(kind).toBe('delta');
  }

  test('start', async () => {
    await rig.installation.supervise();
    await rig.installation.supervise();
    const from = performance.now();
    box = await rig.expose('team', 'box');
    other = await rig.expose('other', 'box');
    rig.hosts.push(box, other);
    await complete('both replicas tell of both', 30_000);
    tell(
      'start',
      'at all readers, from the commit',
      heardMs(standing(box)?.from ?? 0, from, (hosts) => hosts.has(box)),
      1_000,
    );
    await wander('start', 1);
  }, 90_000);

  test('graceful takeover', async () => {
    await sleep(STEADY_MS);
    const before = standing(box);
    const from = performance.now();
    const leaving = await holder();
    await leaving.end();
    await until('another owns both', () => standing(box) !== undefined && standing(box)?.epoch !== before?.epoch, 10_000);
    await complete('both replicas tell of the new owner', 5_000);
    const { epoch = 0n, from: at = 0 } = standing(box) ?? {};
    if (epoch !== before?.epoch)
      tell(
        'graceful takeover',
        'new owner at all readers, from the commit',
        heardMs(at, from, (_hosts, epochs) => epochs.has(epoch)),
        1_000,
      );
    tell('graceful takeover', 'longest time without a record', longestWithout(box, from), 1_000);
    await leaving.start();
    await wander('graceful takeover', 0);
  }, 90_000);

  test('abrupt takeover', async () => {
    await sleep(STEADY_MS);
    const lost = await holder();
    const from = performance.now();
    const before = truth().standings.filter(({ to }) => to === Number.POSITIVE_INFINITY);
    await lost.kill();
    await until(
      'its records stand no more',
      () =>
        truth().standings.some(
          (each) =>
            before.some(({ host, epoch }) => host === each.host && epoch === each.epoch) &&
            each.to > from &&
            each.to < Number.POSITIVE_INFINITY,
        ),
      ABRUPT_MS,
    );
    await complete('both replicas tell of the new owner', ABRUPT_MS);
    tell('abrupt takeover, no boundary', 'all readers know the new owner', performance.now() - from, ABRUPT_MS);
    tell('abrupt takeover, no boundary', 'longest time without a record', longestWithout(box, from), ABRUPT_MS);
    await lost.start();
    await wander('abrupt takeover', 1);
  }, 120_000);

  test('withdrawal', async () => {
    await sleep(STEADY_MS);
    const name = { workspace: 'team', sandbox: 'box', service: 'web' };
    const from = performance.now();
    rig.hosts.splice(rig.hosts.indexOf(box), 1);
    await rig.installation.ask(methods.deleteService, { name });
    await until('nobody holds it', () => everybody().every((reader) => !reader.has(box)), 2_000);
    const { to = 0 } = truth().standings.findLast(({ host }) => host === box) ?? {};
    tell(
      'withdrawal',
      'gone at all readers, from the commit',
      heardMs(to, from, (hosts) => !hosts.has(box)),
      HEARS_WITHIN_MS,
    );
    await rig.installation.ask(methods.exposeService, { name, port: rig.app.port, policy: undefined });
    rig.hosts.push(box);
    tell('withdrawal', 'exposed again, at all readers', await complete('it is told again', 15_000));
    await wander('withdrawal', 0);
  }, 90_000);

  test('a grant is narrowed and given again', async () => {
    await sleep(STEADY_MS);
    const from = performance.now();
    await rig.grant(['team']);
    await until('nobody holds what it may not see', () => everybody().every((reader) => !reader.has(other)), 2_000);
    const narrowedAt = truth().grants.at(-1)?.from ?? 0;
    tell(
      'grant narrowed',
      'gone at all readers, from the commit',
      heardMs(narrowedAt, from, (hosts) => !hosts.has(other)),
      1_000,
    );
    expect(everybody().every((reader) => reader.has(box))).toBe(true);
    const again = performance.now();
    await rig.grant(['team', 'other']);
    await complete('it is told again', 5_000);
    const givenAt = truth().grants.at(-1)?.from ?? 0;
    tell(
      'grant given again',
      'at all readers, from the commit',
      heardMs(givenAt, again, (hosts) => hosts.has(other)),
      1_000,
    );
    await wander('grant', 1);
  }, 60_000);

  test('a grant is taken away as a whole: the streams end, and nothing is held', async () => {
    const at = performance.now();
    await rig.grant([]);
    await until('nobody holds anything', () => everybody().every((reader) => reader.records().length === 0), 2_000);
    tell('grant taken away', 'nothing is held', performance.now() - at, 1_500);
    await rig.grant(['team', 'other']);
    tell('grant taken away', 'complete after it was given again', await complete('it is told again', 10_000));
  }, 60_000);

  test('a grant in a projected file is narrowed and given again', async () => {
    await until('the reader by file holds both', () => rig.ofFile.has(box) && rig.ofFile.has(other), 5_000);
    await rig.grantByFile(['team']);
    tell(
      'grant in a file',
      'gone, from the swap of the file',
      await until('it is gone', () => !rig.ofFile.has(other), 5_000),
      1_500,
    );
    expect(rig.ofFile.has(box)).toBe(true);
    await rig.grantByFile(['team', 'other']);
    tell(
      'grant in a file',
      'there again, from the swap of the file',
      await until('it is back', () => rig.ofFile.has(other), 5_000),
    );
  }, 30_000);

  test('scaling 2-1-2-1 with eight sandboxes', async () => {
    for (let number = 1; number <= 6; number += 1) rig.hosts.push(await rig.expose('team', `more-${number}`));
    await complete('all are told of', 20_000);
    await sleep(STEADY_MS);
    const [first, second] = rig.installation.supervisors as [AppProcess, AppProcess];
    const from = performance.now();
    await first.end();
    await complete('the second has all', 15_000);
    await first.start();
    await until('it has joined again', () => isReady(first), 10_000);
    await sleep(4_000);
    await second.end();
    await complete('the first has all', 15_000);
    const without = Math.max(...rig.hosts.map((host) => longestWithout(host, from)));
    tell('scaling 2-1-2-1, eight sandboxes', 'longest time without a record', without, 3_000);
    await second.start();
    await wander('scaling', 0);
  }, 150_000);

  test('a replica is killed: its readers go on at the other, and come back', async () => {
    await sleep(STEADY_MS);
    const [first, second] = rig.replicas;
    const from = performance.now();
    await first.kill();
    const late = await rig.expose('team', 'late');
    await wander('a replica killed', 1);
    await until('the other tells of what is new', () => rig.wanderer.has(late) && rig.readers[1].has(late), 10_000);
    expect(rig.readers[0].has(late)).toBe(false);
    tell('a replica killed', 'new record at the readers of the other', performance.now() - from, 10_000);
    await first.start();
    await until('it is ready again', () => isReady(first), 20_000);
    rig.hosts.push(late);
    tell('a replica killed', 'complete again after its return', await complete('both tell of all', 20_000));
    tell('a replica killed', 'longest time without a record', longestWithout(box, from), RECORD_LIFE_MS);
    // A replica cannot tell what moved before it began: a token of the other serves there once it is younger.
    await sleep(HEARTBEAT_EVERY_MS + STEADY_MS);
    await wander('a replica killed, and back', 0);
    await second.kill();
    await sleep(STEADY_MS);
    await second.start();
    await until('it is ready again', () => isReady(second), 20_000);
    await complete('both tell of all', 20_000);
  }, 120_000);

  test('etcd is lost and comes back', async () => {
    await sleep(STEADY_MS);
    const from = performance.now();
    for (const member of rig.installation.etcd.members) member.signal('SIGSTOP');
    await until('nobody holds anything', () => everybody().every((reader) => reader.records().length === 0), 20_000);
    tell('etcd lost', 'records were used for', performance.now() - from, RECORD_LIFE_MS + 500);
    for (const member of rig.installation.etcd.members) member.signal('SIGCONT');
    outages.push({ from, to: Number.POSITIVE_INFINITY });
    tell('etcd lost', 'complete again after its return', await complete('both tell of all', RECOVERS_MS));
    outages.splice(0, 1, { from, to: performance.now() });
    await sleep(STEADY_MS);
    await wander('etcd lost and back', 1);
  }, 150_000);

  test('what was judged by is what etcd has', async () => {
    expect(await rig.history.readAgain()).toEqual([]);
    record({ case: 'discovery', what: 'revisions', value: rig.history.steps.length, unit: '', bound: '' });
    for (const call of ['Resolve', 'Explain', 'GetSnapshot']) {
      const value = rig.samples.filter(({ by }) => by.endsWith(call)).length;
      record({ case: 'discovery', what: `answers of ${call} judged`, value, unit: '', bound: '> 0' });
      expect(value).toBeGreaterThan(0);
    }
    record({ case: 'discovery', what: 'answers judged', value: rig.samples.length, unit: '', bound: '' });
  }, 60_000);
});
