import type { IKeyValue, IRangeRequest, IRangeResponse } from 'etcd3';
import { checkKey } from '../limits.ts';
import type { Read, Store } from '../port.ts';
import type { Caller } from './call.ts';
import { entryOf, keyBytes, rangeOf, revisionOf } from './entries.ts';
import { CallFailure } from './failure.ts';
import type { Witness } from './witness.ts';

/** Bounds one message: at our sizes a page has a few MiB. */
const PAGE_KEYS_MAX = 1_000;

/** `get` and `list`. Each request, so each page of a list, has the whole deadline. */
export function createReads(caller: Caller, witness: Witness): Pick<Store, 'get' | 'list'> {
  async function range(request: IRangeRequest): Promise<IRangeResponse | CallFailure> {
    const seen = witness.newest();
    const answer = await caller.untilAnswered((etcd, options) => etcd.kv.range(request, options));
    // etcd 3.4.20 to 3.4.41 and 3.5.0 to 3.5.27 may answer from the past after a pause (etcd-io/etcd#20418).
    if (!(answer instanceof CallFailure) && BigInt(answer.header.revision) < seen)
      return new CallFailure('no-answer', `etcd is at revision ${answer.header.revision} and was at ${seen} before`);
    return answer;
  }

  return {
    async get(key) {
      checkKey(key);
      const answer = await range({ key: keyBytes(key) });
      if (answer instanceof CallFailure) return unavailable(answer);
      const [found] = answer.kvs;
      return { kind: 'read', value: found && entryOf(found), revision: revisionOf(answer.header.revision) };
    },
    async list(prefix) {
      const first = await range({ ...rangeOf(prefix), limit: PAGE_KEYS_MAX });
      if (first instanceof CallFailure) return unavailable(first);
      const { revision } = first.header;
      const found: IKeyValue[] = [...first.kvs];
      for (let page = first; page.more; ) {
        const next = await range({ ...rangeOf(prefix), key: after(found.at(-1)), revision, limit: PAGE_KEYS_MAX });
        if (next instanceof CallFailure) return unavailable(next);
        found.push(...next.kvs);
        page = next;
      }
      return { kind: 'read', value: found.map(entryOf), revision: revisionOf(revision) };
    },
  };
}

/** The smallest key behind it. */
const after = (entry: IKeyValue | undefined): Buffer => Buffer.concat([entry?.key ?? Buffer.of(), Buffer.of(0)]);

const unavailable = ({ message }: CallFailure): Read<never> => ({ kind: 'unavailable', message });
