import { createFaultProxy, type FaultProxy } from '@sallyport/store/testing/etcd';
import { startAgain } from '../../authority/rig/start-again.ts';

/** Every connection that a fault can reach goes through here: from whom to whom, by their names. */
export interface Network {
  /** A way from one to a port of another: `127.0.0.1:port`. */
  way(from: string, to: string, port: number): Promise<string>;
  /** The ways between these two, in whichever direction they were made. */
  between(one: (name: string) => boolean, other: (name: string) => boolean): Ways;
  close(): Promise<void>;
}

export interface Ways {
  /** Breaks what is open and refuses what is new. */
  cut(): Promise<void>;
  /** Lets nothing through and tells nobody. */
  silence(): void;
  slow(ms: number): void;
  heal(): Promise<void>;
}

export function createNetwork(): Network {
  const ways: { readonly from: string; readonly to: string; readonly proxy: FaultProxy }[] = [];
  return {
    async way(from, to, port) {
      const proxy = await createFaultProxy({ target: { port } });
      ways.push({ from, to, proxy });
      return proxy.address;
    },
    between(one, other) {
      const proxies = ways.filter(({ from, to }) => one(from) && other(to)).map(({ proxy }) => proxy);
      if (proxies.length === 0) throw new Error('no way leads there');
      return {
        async cut() {
          await Promise.all(proxies.map((proxy) => proxy.refuse(true)));
          for (const proxy of proxies) proxy.cut();
        },
        silence() {
          for (const proxy of proxies) proxy.blackhole(true);
        },
        slow(ms) {
          for (const proxy of proxies) proxy.delay(ms);
        },
        async heal() {
          for (const proxy of proxies) {
            proxy.delay(0);
            proxy.blackhole(false);
          }
          // Whoever tried to come meanwhile may sit on the very port for a moment, as its own end.
          await Promise.all(proxies.map((proxy) => startAgain({ start: () => proxy.refuse(false) })));
        },
      };
    },
    close: async () => void (await Promise.all(ways.map(({ proxy }) => proxy.close()))),
  };
}
