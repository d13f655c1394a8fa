import { expect, test } from 'vitest';
import { get } from '../http-cases/makers.ts';
import { echo } from '../stage/app.ts';
import { type FieldLine, fieldOf } from '../stage/message.ts';
import { openStage } from '../stage/stage.ts';
import { changed, until } from '../stage/until.ts';
import { ANSWERS, createRandom, mutate, REQUESTS } from './mutations.ts';

const COUNT = 400;
const AT_ONCE = 8;
const own = echo('web');
/** A mutant that asks for nothing (half a head) gets no answer: how long to look at one. */
const LOOK_MS = 60;
const TEST_MS = 120_000;

/** Each seed once, several at a time. */
async function forSeeds(run: (seed: number) => Promise<void>): Promise<void> {
  let next = 1;
  const worker = async (): Promise<void> => {
    for (let seed = next++; seed <= COUNT; seed = next++) await run(seed);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** A mutant may also have made another name of it, which then means nothing to anybody. */
const isForged = ([name, value]: FieldLine): boolean =>
  /^(x.forwarded.(for|host|proto)|forwarded|x.real.ip)$/i.test(name) && value.includes('6.6.6.6');

/** Until it holds, or for as long as one mutant is looked at. */
const lookUntil = (holds: () => boolean): Promise<void> => until('a mutant', holds, LOOK_MS).catch(() => {});

test(
  `${COUNT} mutated requests: what reaches the application is plain HTTP, and nothing forged is in it`,
  async () => {
    const stage = await openStage();
    stage.web.restart(async (exchange) => {
      if (fieldOf(exchange.request, 'upgrade') !== undefined) return exchange.close();
      await exchange.whole();
      exchange.respond('ok');
    });
    await forSeeds(async (seed) => {
      const random = createRandom(seed);
      const bytes = mutate(REQUESTS[random(REQUESTS.length)] ?? '', random);
      const client = await stage.open();
      client.write(bytes);
      await lookUntil(() => client.over() !== 'open');
      client.reset();
      const forged = stage.web.requests().find((request) => [...request.fields, ...request.trailers].some(isForged));
      expect(forged?.head, `seed ${seed}: ${JSON.stringify(bytes)}`).toBe(undefined);
      expect(stage.web.faults(), `seed ${seed}: ${JSON.stringify(bytes)}`).toEqual([]);
    });
    // A mutant without its length does not hide the request behind it: that one is then a request like any other.
    stage.web.restart(own);
    await stage.settle();
    await stage.close();
  },
  TEST_MS,
);

test(
  `${COUNT} mutated answers: what reaches the client is plain HTTP, and everybody gets the own answer`,
  async () => {
    const stage = await openStage();
    const answers = new Map<string, string>();
    stage.web.restart((exchange) => {
      const answer = answers.get(exchange.target);
      if (answer === undefined) return own(exchange);
      exchange.send(answer);
      changed();
    });
    await forSeeds(async (seed) => {
      const random = createRandom(seed);
      const bytes = mutate(ANSWERS[random(ANSWERS.length)] ?? '', random);
      const target = `/mutant-${seed}`;
      answers.set(target, bytes);
      const client = await stage.open();
      const what = `seed ${seed}: ${JSON.stringify(bytes)}`;
      const answered = client.ask(get(target), 'GET').catch(() => undefined);
      await lookUntil(() => client.over() !== 'open' || client.messages.some(({ state }) => state === 'whole'));
      expect(client.fault(), what).toBe(undefined);
      if (
        client.over() === 'open' &&
        client.messages.at(-1)?.state === 'whole' &&
        !client.messages.at(-1)?.startLine.includes(' 1')
      ) {
        const next = await client.ask(get(`/own-${seed}`));
        expect(next.body(), what).toBe(`web GET /own-${seed}`);
      }
      client.reset();
      await answered;
      const other = await stage.open();
      expect((await other.ask(get(`/other-${seed}`))).body(), what).toBe(`web GET /other-${seed}`);
      other.close();
    });
    await stage.settle();
    await stage.close();
  },
  TEST_MS,
);
