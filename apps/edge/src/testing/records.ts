import type { Host } from '@sallyport/model';
import type { PublishedRecord } from '@sallyport/wire';

/** A record of discovery as it comes to an edge: this host, at this port of this machine. */
export const recordOf = (host: string, port: number, ownerEpoch = 1n): PublishedRecord =>
  ({
    recordId: `sb/${host}`,
    workspace: 'team',
    sandbox: 'box',
    service: 'web',
    host: host as Host,
    url: '',
    endpoint: { address: '127.0.0.1', port, podUid: 'pod' },
    ownerEpoch,
    configRevision: 1n,
    renewedBy: 'gw.1',
  }) as unknown as PublishedRecord;
