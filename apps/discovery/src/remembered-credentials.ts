import type { Failure, Result } from '@sallyport/model';
import type { Credential, VerifyCredential } from './credentials.ts';

/** How long a credential that was found to hold is taken for one that does: a key that is taken away counts so much later. */
export const REMEMBERED_MS = 5_000;
/** Credentials that are remembered; one has a few hundred bytes, and some kilobytes at most. */
export const REMEMBERED_MAX = 1_000;

/**
 * Verifies a credential once in a while, and not for each call: a reader that is sent away comes back with the same one a second
 * later, and a signature costs as much as half of a snapshot. One that does not hold is not remembered.
 */
export function rememberedCredentials(
  verify: VerifyCredential,
  { nowMs, unixMs }: { readonly nowMs: () => number; readonly unixMs: () => number },
): VerifyCredential {
  /** Also those that are being verified. The oldest first. */
  const known = new Map<string, { readonly verified: Promise<Result<Credential, Failure>>; readonly until: number }>();

  function verifyNow(token: string): Promise<Result<Credential, Failure>> {
    for (const oldest of known.keys()) {
      if (known.size < REMEMBERED_MAX) break;
      known.delete(oldest);
    }
    const entry = { verified: verify(token), until: nowMs() + REMEMBERED_MS };
    known.delete(token);
    known.set(token, entry);
    const forget = (): void => {
      if (known.get(token) === entry) known.delete(token);
    };
    entry.verified.then(({ ok }) => ok || forget(), forget);
    return entry.verified;
  }

  return async (token) => {
    const entry = known.get(token);
    if (entry === undefined || nowMs() >= entry.until) return verifyNow(token);
    const verified = await entry.verified;
    // Whoever has run out meanwhile is told so in the words of the verifier.
    return verified.ok && unixMs() >= verified.value.expiresAtUnixMs ? verifyNow(token) : verified;
  };
}
