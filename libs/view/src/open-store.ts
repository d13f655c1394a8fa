import { CannotStart, type Clock, type Log } from '@sallyport/process';
import type { Store } from '@sallyport/store';
import { createEtcdStore, type EtcdTls } from '@sallyport/store/etcd';
import type { StoreSetting } from './store-setting.ts';

/** Opens the etcd that was set. It need not be up yet: until then everything is unavailable, and nothing is granted. */
export async function openStore({ endpoints, tls }: StoreSetting, clock: Clock, log: Log): Promise<Store> {
  if (endpoints === undefined) throw new CannotStart('--store is missing: give --store=etcd://host:port');
  try {
    return await createEtcdStore({
      endpoints,
      ...(tls.caFile === undefined ? {} : { tls: tlsOf(tls, tls.caFile) }),
      clock,
      onWarning: ({ kind, message }) => log.warn({ kind }, message),
      onDisconnected: (is) => (is ? log.warn('no member of the store answers') : log.info('the store answers again')),
    });
  } catch (error) {
    throw new CannotStart(`--store: ${(error as Error).message}`);
  }
}

const tlsOf = ({ certFile, keyFile, serverName }: StoreSetting['tls'], caFile: string): EtcdTls => ({
  caFile,
  ...(certFile === undefined ? {} : { certFile }),
  ...(keyFile === undefined ? {} : { keyFile }),
  ...(serverName === undefined ? {} : { serverName }),
});
