import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** What a name leads to. `nowhere`: there is no such name. `failing`: the server cannot say. */
export type Record = { readonly kind: 'address'; readonly v4: string } | { readonly kind: 'nowhere' | 'failing' };

/** A DNS server on loopback that answers as `zone` says, over UDP as RFC 1035 section 4 has it. */
export async function startDnsServer(zone: (name: string) => Record) {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const answer = answerTo(query, zone);
    if (answer !== undefined) socket.send(answer, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    async close() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

const HEAD_BYTES = 12;
const TYPE_A = 1;
const CODES = { address: 0, failing: 2, nowhere: 3 } as const;

function answerTo(query: Buffer, zone: (name: string) => Record): Buffer | undefined {
  const labels: string[] = [];
  let at = HEAD_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const questionEnd = at + 5;
  if (query.length < questionEnd) return undefined;
  const found = zone(labels.join('.').toLowerCase());
  const isAsked = found.kind === 'address' && query.readUInt16BE(at + 1) === TYPE_A;
  const head = Buffer.alloc(HEAD_BYTES);
  query.copy(head, 0, 0, 2);
  // An answer, with recursion: asked for and available.
  head.writeUInt16BE(0x8180 | CODES[found.kind], 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(isAsked ? 1 : 0, 6);
  const question = query.subarray(HEAD_BYTES, questionEnd);
  if (!isAsked) return Buffer.concat([head, question]);
  // The name is that of the question; type A, class IN, ten seconds, four bytes.
  const resource = Buffer.from([0xc0, HEAD_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 10, 0, 4]);
  return Buffer.concat([head, question, resource, Buffer.from(found.v4.split('.').map(Number))]);
}
