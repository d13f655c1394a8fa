export const DAY_MS = 86_400_000;

/** Certificates begin a little in the past, for clients whose clocks are behind. */
export const BACKDATE_MS = 5 * 60_000;

/** Chromium and Safari refuse server certificates that are valid for longer. */
export const LEAF_DAYS_MAX = 398;

/**
 * Whether it is time for a new one: outside its validity, or less than a third of it is left. As a part and not as a
 * number of days, so that short-lived certificates are renewed in time as well.
 */
export function isDue({ notBefore, notAfter }: { readonly notBefore: Date; readonly notAfter: Date }, now: Date): boolean {
  const lifetimeMs = notAfter.getTime() - notBefore.getTime();
  return now < notBefore || notAfter.getTime() - now.getTime() < lifetimeMs / 3;
}
