/** How long to wait before try number `attempt` (from 0), milliseconds: doubled from `baseMs` up to `maxMs`, with full jitter. */
export function backoffMs(
  attempt: number,
  random: number,
  { baseMs, maxMs }: { readonly baseMs: number; readonly maxMs: number },
): number {
  // Full jitter, not a fraction of it: a thousand members that lost one gateway must not come back as a wave.
  return random * Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30));
}
