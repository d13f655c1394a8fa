import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type Position, type ResyncReason, type Scope, scopeText } from '@sallyport/catalog';
import type { Generation, StoreRevision } from '@sallyport/model';

/**
 * Resume tokens: where a stream was, for any replica to take it up from there. They are authenticated, but they are no
 * credentials: what may be seen is judged anew with each stream, and a token of another scope is refused. The key is made
 * from the store's generation, which every replica reads and no reader is shown; so a restore voids all tokens.
 */
export interface ResumeTokens {
  make(position: Position): string;
  /** As of the scope that the reader has now. */
  read(token: string, scope: Scope): Position | { readonly refused: ResyncReason };
}

const FORM = 1;
const REVISION_BYTES = 8;
const SCOPE_BYTES = 12;
const MAC_BYTES = 16;
const BODY_BYTES = 2 + REVISION_BYTES + SCOPE_BYTES;

export function createResumeTokens(generation: () => Generation | undefined): ResumeTokens {
  const digests = new WeakMap<object, Buffer>();

  const mac = (body: Buffer): Buffer =>
    createHmac('sha256', `sallyport resume token\n${generation() ?? ''}`)
      .update(body)
      .digest()
      .subarray(0, MAC_BYTES);

  /** A scope is a value that nobody changes, and one stream has it in thousands of tokens. */
  function digestOf(scope: Scope): Buffer {
    if (scope === 'all') return ALL;
    const known = digests.get(scope);
    if (known !== undefined) return known;
    const digest = digest12(scopeText(scope));
    digests.set(scope, digest);
    return digest;
  }

  return {
    make({ revision, whole, scope }) {
      const body = Buffer.alloc(BODY_BYTES);
      body.writeUInt8(FORM, 0);
      body.writeUInt8(whole ? 1 : 0, 1);
      body.writeBigUInt64BE(revision, 2);
      digestOf(scope).copy(body, 2 + REVISION_BYTES);
      return Buffer.concat([body, mac(body)]).toString('base64url');
    },
    read(token, scope) {
      const bytes = Buffer.from(token, 'base64url');
      const body = bytes.subarray(0, BODY_BYTES);
      const given = bytes.subarray(BODY_BYTES);
      if (given.length !== MAC_BYTES || body[0] !== FORM || !timingSafeEqual(given, mac(body))) return { refused: 'token' };
      if (!digestOf(scope).equals(body.subarray(2 + REVISION_BYTES))) return { refused: 'scope' };
      return { revision: body.readBigUInt64BE(2) as StoreRevision, whole: body[1] === 1, scope };
    },
  };
}

function digest12(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, SCOPE_BYTES);
}
const ALL = digest12(scopeText('all'));
