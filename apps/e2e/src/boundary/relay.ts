import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The network between a member and its gateway: until it is cut. */
export interface Relay {
  readonly port: number;
  cut(): void;
  mend(): void;
  close(): void;
}

export async function startRelay(toPort: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((from) => {
    if (isCut) return void from.destroy();
    const to = connect(toPort, '127.0.0.1');
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      cutAll();
    },
    mend() {
      isCut = false;
    },
    close() {
      server.close();
      cutAll();
    },
  };
}
