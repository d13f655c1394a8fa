import { type Instant, LONG_AGO, later } from '@sallyport/model';
import type { Evidence } from './evidence.ts';
import { type OpenListing, ttlMsOf } from './listing.ts';
import type { Page } from './messages.ts';
import type { CatalogRecord } from './record.ts';

/**
 * Listings of one workspace that snapshots tell together. All readers are told them in one and the same array, so that what it
 * costs to make a page, and to encode it, is not paid for each of hundreds that begin at once. A listing stays in its page for as
 * long as it stands: a snapshot that goes from page to page misses none but those that came or went, which are told at its end.
 */
export interface ListingPage {
  readonly listings: ReadonlySet<OpenListing>;
  add(listing: OpenListing): void;
  remove(listing: OpenListing): void;
  /** What is shown of it has changed. */
  touch(): void;
  /** Those that are shown, with lives that are good for whoever is told of them now. */
  told(now: Instant, evidence: Evidence): Page<CatalogRecord>;
}

/** How many one page has at most. */
export const RECORDS_PER_PAGE_MAX = 100;
/** How long a page is told as it was made. Its lives count from the end of that time, so they are so much shorter for the first reader. */
export const PAGE_MS = 250;

export function createListingPage(): ListingPage {
  const listings = new Set<OpenListing>();
  let page: Page<CatalogRecord> = [];
  let toldUntil: Instant = LONG_AGO;
  const touch = (): void => {
    toldUntil = LONG_AGO;
  };

  return {
    listings,
    add(listing) {
      listings.add(listing);
      touch();
    },
    remove(listing) {
      listings.delete(listing);
      touch();
    },
    touch,
    told(now, evidence) {
      if (now <= toldUntil) return page;
      const from = later(now, PAGE_MS);
      page = [...listings]
        .filter(({ shown }) => shown)
        .map((listing) => ({ record: listing.record, ttlMs: ttlMsOf(listing, evidence, from) }));
      toldUntil = from;
      return page;
    },
  };
}
