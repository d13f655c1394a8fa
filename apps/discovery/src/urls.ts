import type { CatalogRecord, Page, Sent, Timed } from '@sallyport/catalog';
import type { PublishedRecord } from '@sallyport/wire';

/** Public URLs: what a browser must type to reach a record's host. */
export interface Urls {
  timed(timed: Timed<CatalogRecord>): Timed<PublishedRecord>;
  sent(sent: Sent<CatalogRecord>): Sent<PublishedRecord>;
}

/** @param urlPort where browsers reach applications; 443 is left out. 0: at the port of the supervisor that serves. */
export function createUrls(urlPort: () => number): Urls {
  /** The same object for the same record, so that its bytes are encoded once for all readers. */
  const made = new WeakMap<CatalogRecord, { readonly port: number; readonly record: PublishedRecord }>();

  function withUrl(record: CatalogRecord): PublishedRecord {
    const port = urlPort() || record.endpoint.port;
    const present = made.get(record);
    if (present?.port === port) return present.record;
    const published = { ...record, url: `https://${record.host}${port === 443 ? '' : `:${port}`}/` };
    made.set(record, { port, record: published });
    return published;
  }
  const timed = ({ record, ttlMs }: Timed<CatalogRecord>): Timed<PublishedRecord> => ({ record: withUrl(record), ttlMs });

  /** The same array for the same page, for the same reason. */
  const pages = new WeakMap<Page<CatalogRecord>, { readonly port: number; readonly page: Page<PublishedRecord> }>();
  function pageWithUrls(page: Page<CatalogRecord>): Page<PublishedRecord> {
    const port = urlPort();
    const present = pages.get(page);
    if (present?.port === port) return present.page;
    const published = page.map(timed);
    pages.set(page, { port, page: published });
    return published;
  }
  return {
    timed,
    sent({ pingId, message }) {
      if (message.kind === 'snapshot') return { pingId, message: { ...message, pages: message.pages.map(pageWithUrls) } };
      if (message.kind === 'delta') return { pingId, message: { ...message, upserts: message.upserts.map(timed) } };
      return { pingId, message };
    },
  };
}
