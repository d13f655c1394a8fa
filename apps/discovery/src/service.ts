import { createFeed, inScope, intersect, isEmptyScope, type Scope } from '@sallyport/catalog';
import { err, type Failure, failure, normaliseHost, ok, type Result } from '@sallyport/model';
import { VERSION } from '@sallyport/process';
import { admitted, type Binding, bind, discoveryMethods, recordMessage } from '@sallyport/wire';
import { scopeAsked } from './asked.ts';
import { explainFor } from './explain-service.ts';
import type { Reader } from './readers.ts';
import { createWake } from './wake.ts';
import { SNAPSHOTS_BUSY, serveWatch, type WatchOptions } from './watch.ts';

const HOST_TEXT_MAX = 254;
/** Before the first sign of life it is without an end, which no number on the wire is. */
const LAG_MAX_MS = 2 ** 32 - 1;

export function discoveryService(options: WatchOptions): Binding {
  const { view, readers, admission, line, clock, urls, tokens } = options;

  /** Who asks comes first: whether we are ready is nobody else's business. */
  async function admit(bearer: string | undefined): Promise<Result<Reader, Failure>> {
    const reader = await readers.admit(bearer);
    if (!reader.ok) return reader;
    const why = view.notReady();
    return why === undefined ? reader : err(failure('not-ready', why));
  }

  return bind(discoveryMethods, {
    watch: (stream, caller) => serveWatch(stream, caller, options),
    async getSnapshot(request, stream, caller) {
      const reader = await admit(caller.bearer);
      if (!reader.ok) return reader;
      const begun = admission.begin(reader.value.principal, clock.now());
      if (!begun.ok) return begun;
      const asked = scopeAsked(request.workspaces);
      if (!asked.ok) return asked;
      const scope = (): Scope => intersect(reader.value.scope(), asked.value);
      if (isEmptyScope(scope())) return err(failure('forbidden', 'none of these workspaces may be seen'));
      const feed = createFeed({
        ...{ catalog: view.catalog, evidence: view.evidence, history: view.history, scope: scope() },
        revision: () => view.world.revision,
        tokenOf: (position) => tokens.make(position),
        health: () => ({ lagMs: 0, hasAuthority: false }),
        backlogBytesMax: options.backlogBytesMax,
        onResync: () => undefined,
      });
      const unfollow = view.follow({
        moved: (moves, now) => feed.moved(moves, now),
        renewed: () => undefined,
        granted: () => feed.rescope(scope(), clock.now()),
      });
      const wake = createWake(clock);
      const turn = line.join(reader.value.principal, () => wake.news());
      try {
        feed.start(undefined);
        for (;;) {
          const allowed = feed.owesSnapshot() ? turn.ask(clock.now()) : 'go';
          if (allowed === 'late') return err(failure('not-ready', SNAPSHOTS_BUSY));
          if (allowed === 'wait') {
            await wake.until(turn.lateAt());
            continue;
          }
          const made = feed.next(clock.now());
          if (made === undefined) return err(feed.ended() ?? failure('not-ready', 'the snapshot was not finished'));
          const { message } = urls.sent(made);
          if (message.kind !== 'snapshot') continue;
          stream.send(message);
          if (message.token !== undefined || stream.signal.aborted) return ok(undefined);
          await stream.drained();
        }
      } finally {
        turn.leave();
        unfollow();
      }
    },
    async resolve(request, caller) {
      const reader = await admit(caller.bearer);
      if (!reader.ok) return reader;
      const host = admitted((check) => check.host('host', normaliseHost(check.text('host', request.host, HOST_TEXT_MAX))));
      if (!host.ok) return host;
      const now = clock.now();
      const scope = reader.value.scope();
      const record = view.catalog.resolve(host.value, now, (workspace) => inScope(scope, workspace));
      if (record === undefined) return err(failure('unknown', `${host.value} is not published`));
      const { until, ...rest } = record;
      return ok({ record: recordMessage(urls.timed({ record: rest, ttlMs: Math.floor(until - now) })) });
    },
    async getStatus(_request, caller) {
      const reader = await readers.admit(caller.bearer);
      if (!reader.ok) return reader;
      const now = clock.now();
      const lagMs = Math.min(view.signs.lagMs(now), LAG_MAX_MS);
      const hasAuthority = view.signs.hasAuthority(now);
      return ok({ version: VERSION, notReady: view.notReady() ?? '', lagMs: Math.round(lagMs), hasAuthority });
    },
    async explain(request, caller) {
      const reader = await admit(caller.bearer);
      return reader.ok ? explainFor(reader.value, request, options) : reader;
    },
  });
}
