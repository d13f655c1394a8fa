import { setTimeout } from 'node:timers/promises';
import { createFollower, type Effect, PING_EVERY_MS } from '@sallyport/catalog';
import { err, type Failure, failure, type Instant, ok, type Result, type WorkspaceId } from '@sallyport/model';
import { discoveryV1, openStream, type PublishedRecord, readWatchResponse } from '@sallyport/wire';
import type { Command, Input } from './command.ts';
import type { Connection } from './connections.ts';
import { readWorkspaces } from './names.ts';
import { clean } from './table.ts';
import type { Trouble } from './trouble.ts';
import { endpointText, publishedView } from './views.ts';

const WORKSPACES_MAX = 64;
/** Before another stream is opened. */
const RETRY_MS = 1_000;
const LOOK_EVERY_MS = 500;
/** Waiting would not change these. */
const FINAL: ReadonlySet<Failure['kind']> = new Set(['unauthenticated', 'forbidden', 'malformed', 'unsupported']);

export const watchCommand: Command = {
  words: ['discovery', 'watch'],
  summary: 'Prints what ingresses see, and each change of it, until Ctrl-C.',
  argumentsForm: '[WORKSPACE …]',
  argumentsMin: 0,
  argumentsMax: WORKSPACES_MAX,
  options: [],
  examples: ['sallyport discovery watch', 'sallyport discovery watch team -o json'],
  about: 'One line for each change: + may be used now, - may not any more, with the reason. With -o json, one object a line.',
  async run(input) {
    const workspaces = readWorkspaces(input.args);
    if (!workspaces.ok) return workspaces;
    const opened = await input.connections.open('discovery');
    return opened.ok ? follow(input, opened.value, workspaces.value) : opened;
  },
};

async function follow(input: Input, first: Connection, workspaces: readonly WorkspaceId[]): Promise<Result<void, Trouble>> {
  const follower = createFollower<PublishedRecord>(workspaces);
  const now = (): Instant => performance.now() as Instant;
  const said = new Map<string, string>();
  let isFirst = true;
  /** Why streams end, for as long as it is the same: told once, not each second. */
  let ending = '';

  function tell(effects: readonly Effect<PublishedRecord>[]): string | undefined {
    for (const effect of effects) {
      if (effect.kind === 'restart') return effect.why;
      const { recordId } = effect.record;
      const line = lineOf(effect, input.json);
      // A snapshot repeats what is known.
      if (effect.kind === 'put' && said.get(recordId) === line) continue;
      if (effect.kind === 'put') said.set(recordId, line);
      else said.delete(recordId);
      input.print(line);
    }
    return undefined;
  }

  for (let connection = first; ; ) {
    const { link, bearer, explain } = connection;
    const stream = openStream(link, discoveryV1.DiscoveryServiceService.watch, { bearer, signal: input.signal });
    const { workspaces: asked, resumeToken } = follower.opened(now());
    stream.send({ request: { $case: 'start', value: { workspaces: [...asked], resumeToken } } });
    const restart = (why: string): void => stream.fail(failure('not-ready', why));
    const timers = [
      setInterval(() => stream.send({ request: { $case: 'ping', value: { id: follower.ping(now()) } } }), PING_EVERY_MS),
      setInterval(() => {
        const why = tell(follower.passed(now()));
        if (why !== undefined) restart(why);
      }, LOOK_EVERY_MS),
    ];
    for await (const response of stream.received) {
      const sent = readWatchResponse(response);
      if (!sent.ok) stream.fail(sent.error);
      else {
        const why = tell(follower.received(sent.value, now()));
        if (why !== undefined) restart(why);
        ending = '';
        if (isFirst && follower.complete) {
          if (said.size === 0) input.progress('nothing is published');
          isFirst = false;
        }
      }
    }
    for (const timer of timers) clearInterval(timer);
    const failed = await stream.closed;
    tell(follower.closed(failed?.kind, now()));
    if (input.signal.aborted) return ok(undefined);
    let why = 'the stream has ended in good order';
    if (failed !== undefined) {
      const trouble = await explain(failed, 'watch discovery');
      if (FINAL.has(failed.kind) || isFirst) return err(trouble);
      why = trouble.text;
    }
    // A dev stack that is started again is on other ports.
    for (let again: Result<Connection, Trouble> | undefined; again?.ok !== true; ) {
      if (why !== ending) input.progress(`${why}; trying again each second`);
      ending = why;
      await setTimeout(RETRY_MS, undefined, { signal: input.signal }).catch(() => undefined);
      if (input.signal.aborted) return ok(undefined);
      again = await input.connections.open('discovery');
      if (again.ok) connection = again.value;
      else why = again.error.text;
    }
  }
}

function lineOf(effect: Exclude<Effect<PublishedRecord>, { kind: 'restart' }>, json: boolean): string {
  const { record } = effect;
  if (json) {
    const change = effect.kind === 'put' ? { change: 'put' } : { change: 'drop', reason: effect.reason };
    return JSON.stringify({ ...change, record: publishedView(record) }, (_key, each) =>
      typeof each === 'bigint' ? each.toString() : each,
    );
  }
  return clean(
    effect.kind === 'put' ? `+ ${record.host} at ${endpointText(record.endpoint)}` : `- ${record.host} (${effect.reason})`,
  );
}
