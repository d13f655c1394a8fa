import type { CatalogRecord, Sent, Timed } from '@sallyport/catalog';
import type { PublishedRecord } from '@sallyport/wire';

/** Public URLs: what a browser must type to reach a record's host. */
export interface Urls {
  timed(timed: Timed<CatalogRecord>): Timed<PublishedRecord>;
  sent(sent: Sent<CatalogRecord>): Sent<PublishedRecord>;
}

/** @param urlPort where browsers reach applications; 443 is left out. 0: at the port of the supervisor that serves. */
export function createUrls(urlPort: () => number): Urls {
  const withUrl = (record: CatalogRecord): PublishedRecord => {
    const port = urlPort() || record.endpoint.port;
    return { ...record, url: `https://${record.host}${port === 443 ? '' : `:${port}`}/` };
  };
  const timed = ({ record, ttlMs }: Timed<CatalogRecord>): Timed<PublishedRecord> => ({ record: withUrl(record), ttlMs });
  return {
    timed,
    sent({ pingId, message }) {
      if (message.kind === 'snapshot') return { pingId, message: { ...message, records: message.records.map(timed) } };
      if (message.kind === 'delta') return { pingId, message: { ...message, upserts: message.upserts.map(timed) } };
      return { pingId, message };
    },
  };
}
