import type { ServerResponse } from 'node:http';
import type { ObjectStore, StoredEvent } from './object-store.ts';
import { type ApiObject, apiVersionOf, type Target } from './resources.ts';
import { type Matches, selectorOf } from './selectors.ts';
import { isStatus, type Status, status, statusObject, tooOld } from './status.ts';

/** Open watches, and what can happen to them. */
export interface Watches {
  /** Undefined: the stream has begun. */
  open(target: Target, query: URLSearchParams, response: ServerResponse): Status | undefined;
  readonly count: number;
  /** To all that asked for bookmarks. */
  bookmark(): void;
  /** In good order. */
  end(): void;
  /** The connections are reset. */
  break(): void;
  /** An ERROR event, then the end. */
  fail(code: number, reason: string): void;
  /** Half an event, then the end. */
  truncate(): void;
  /** Nothing is sent any more, and nothing ends: what a half-open connection is like. */
  silence(): void;
  /** Of the events from now on, those for which this says so are never sent. */
  lose(which: (event: StoredEvent) => boolean): void;
  /** Each event is sent so many times. */
  repeat(times: number): void;
}

interface Watch {
  readonly target: Target;
  readonly matches: Matches;
  readonly response: ServerResponse;
  readonly bookmarks: boolean;
  silent: boolean;
  stop(): void;
}

/** For servers that nobody asked for a timeout; seconds. */
const TIMEOUT_SECONDS = 1_800;

export function createWatches(store: ObjectStore): Watches {
  const open = new Set<Watch>();
  let lost: (event: StoredEvent) => boolean = () => false;
  let times = 1;

  const write = (watch: Watch, type: string, object: object): void => {
    if (!watch.silent) watch.response.write(`${JSON.stringify({ type, object })}\n`);
  };

  function tell(watch: Watch, event: StoredEvent): void {
    const { resource, namespace } = watch.target;
    if (event.plural !== resource.plural || lost(event)) return;
    if (namespace !== undefined && event.object.metadata.namespace !== namespace) return;
    if (!watch.matches(event.object)) return;
    for (let time = 0; time < times; time += 1) write(watch, event.type, event.object);
  }

  const bookmark = (watch: Watch): void => {
    const { resource } = watch.target;
    if (watch.bookmarks)
      write(watch, 'BOOKMARK', {
        kind: resource.kind,
        apiVersion: apiVersionOf(resource),
        metadata: { resourceVersion: String(store.version), creationTimestamp: null },
      });
  };

  store.onEvent((event) => {
    for (const watch of [...open]) tell(watch, event);
  });

  const each = (act: (watch: Watch) => void) => (): void => {
    for (const watch of [...open]) act(watch);
  };
  const end = (watch: Watch): void => {
    watch.stop();
    watch.response.end();
  };

  return {
    open(target, query, response) {
      const matches = selectorOf(query);
      if (isStatus(matches)) return matches;
      const text = query.get('resourceVersion') ?? '';
      if (text !== '' && !/^\d+$/.test(text)) return status(400, 'BadRequest', `invalid resource version: ${text}`);
      if (query.get('sendInitialEvents') !== null)
        return status(
          422,
          'Invalid',
          'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
        );
      const from = Number(text === '' ? 0 : text);
      response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
      response.flushHeaders();
      if (from > 0 && from < store.oldest) {
        // As the API server's watch cache has it: the head is good, the first event is the refusal.
        response.end(`${JSON.stringify({ type: 'ERROR', object: statusObject(tooOld(from, store.oldest)) })}\n`);
        return undefined;
      }
      const timeout = setTimeout(
        () => {
          bookmark(watch);
          end(watch);
        },
        Number(query.get('timeoutSeconds') ?? TIMEOUT_SECONDS) * 1_000,
      );
      const watch: Watch = {
        target,
        matches,
        response,
        bookmarks: query.get('allowWatchBookmarks') === 'true',
        silent: false,
        stop() {
          clearTimeout(timeout);
          open.delete(watch);
        },
      };
      open.add(watch);
      response.on('close', () => watch.stop());
      const present: readonly ApiObject[] = from === 0 ? store.list(target.resource.plural, target.namespace) : [];
      for (const object of present.filter(matches)) write(watch, 'ADDED', object);
      if (from > 0) for (const event of store.since(from)) tell(watch, event);
      return undefined;
    },
    get count() {
      return open.size;
    },
    bookmark: each(bookmark),
    end: each(end),
    break: each((watch) => {
      watch.stop();
      watch.response.destroy();
    }),
    fail: (code, reason) =>
      each((watch) => {
        write(watch, 'ERROR', statusObject(status(code, reason, reason)));
        end(watch);
      })(),
    truncate: each((watch) => {
      watch.response.write('{"type":"ADDED","object":{"meta');
      end(watch);
    }),
    silence: each((watch) => {
      watch.silent = true;
    }),
    lose: (which) => {
      lost = which;
    },
    repeat: (count) => {
      times = count;
    },
  };
}
