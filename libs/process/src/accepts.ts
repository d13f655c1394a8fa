import { connect } from 'node:net';

/** Whether something takes a connection there within so many milliseconds. */
export function accepts(host: string, port: number, withinMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: withinMs });
    const done = (is: boolean): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => done(true));
    socket.once('timeout', () => done(false));
    socket.once('error', () => done(false));
  });
}
