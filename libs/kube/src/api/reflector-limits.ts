/** Objects in one page of a list. */
export const LIST_LIMIT = 500;
/** A page that is larger than what is taken at once is asked for in so many parts; each whole list doubles pages again. */
export const SMALLER_PAGE = 8;
/** A watch that says nothing for so long is opened anew; servers send a bookmark about each minute. Milliseconds. */
export const SILENCE_MS = 45_000;
/** A watch that lived shorter than this did no good: the next one waits. Milliseconds. */
export const SHORT_WATCH_MS = 1_000;
/** How long a self-check's list rests before it is compared, so that the watch has told what the list knew. Milliseconds. */
export const SETTLE_MS = 5_000;
/** And at most, where the watch is behind the list: a bookmark comes about each minute. Milliseconds. */
export const SETTLE_MAX_MS = 90_000;
export const OLDER_LISTS_MAX = 5;
export const BACKOFF = { baseMs: 800, maxMs: 30_000 } as const;
/** Past this age nothing is resolved. A silent watch is noticed after {@link SILENCE_MS} and has the rest to come back. */
export const STALE_MS = 60_000;

const TIMEOUT_MIN_SECONDS = 300;

/** When the server shall end a watch by itself: five to ten minutes, so that a fleet does not come back at once. */
export const timeoutSeconds = (random: number): number => Math.floor(TIMEOUT_MIN_SECONDS * (1 + random));
