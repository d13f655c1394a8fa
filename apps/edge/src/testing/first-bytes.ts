import { ALERTS } from '@sallyport/tls-hello';
import { hello, keyShares, records, serverName, versions } from '@sallyport/tls-hello/testing';
import { type Client, hostOf, type Stage, type Upstream, until } from './stage.ts';

export const helloFor = (name: string): Buffer =>
  Buffer.from(records(hello({ extensions: [serverName(hostOf(name)), versions, keyShares()] })));

/** The whole record of a fatal alert. */
export const alert = (name: keyof typeof ALERTS): Buffer => Buffer.from([21, 3, 3, 0, 2, 2, ALERTS[name]]);

/** A connection that has reached its supervisor, at both of its ends. */
export async function passOn(stage: Stage, upstream: Upstream, name = 'web'): Promise<{ client: Client; supervisor: Client }> {
  const before = upstream.accepted.length;
  const client = stage.connect();
  client.socket.write(helloFor(name));
  await until('the hello is there', () => (upstream.accepted[before]?.bytes().length ?? 0) === helloFor(name).length);
  return { client, supervisor: upstream.accepted[before] as Client };
}
