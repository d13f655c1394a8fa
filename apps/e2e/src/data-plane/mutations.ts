import { framed, get, HIDDEN, hex, post } from '../http-cases/makers.ts';
import { handshake, switched } from '../http-cases/tunnel-makers.ts';

/** Small, fast and the same everywhere for the same seed. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const CHUNKED_HIDDEN = `${hex(HIDDEN)};a=b\r\n${HIDDEN}\r\n0\r\nX-Sum: 1\r\n\r\n`;

/** Good requests; wherever a body stands, it reads like a request with forged fields. */
export const REQUESTS: readonly string[] = [
  get('/x'),
  get('/x', 'Connection: keep-alive, X-A\r\nX-A: 1\r\nCookie: a=1\r\nX-Forwarded-For: 6.6.6.6\r\n'),
  post('/x', HIDDEN),
  post('/x', HIDDEN, 'Expect: 100-continue\r\nContent-Type: text/plain\r\n'),
  framed(CHUNKED, CHUNKED_HIDDEN),
  framed(`Trailer: X-Sum\r\n${CHUNKED}`, CHUNKED_HIDDEN + HIDDEN),
  get('/1') + post('/2', HIDDEN) + get('/3'),
  framed(`Content-Length: ${HIDDEN.length}\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n`, HIDDEN, 'DELETE'),
  handshake('X-Forwarded-For: 6.6.6.6\r\n') + HIDDEN,
  framed('', HIDDEN, 'HEAD').replace('HTTP/1.1', 'HTTP/1.0'),
];

/** Good answers, most with something behind them that no client may ever take for an answer. */
export const ANSWERS: readonly string[] = [
  'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nSet-Cookie: a=1; Domain=apps.test\r\nConnection: X-A\r\nX-A: 1\r\n\r\nok',
  `HTTP/1.1 200 OK\r\n${CHUNKED}\r\n2;a=b\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n`,
  'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end',
  'HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok',
  'HTTP/1.1 204 No Content\r\nX-A: 1\r\n\r\n',
  'HTTP/1.1 304 Not Modified\r\nContent-Length: 77\r\nETag: "x"\r\n\r\n',
  switched(),
];

const ODD = [
  '\r',
  '\n',
  '\r\n',
  '\r\n\r\n',
  '\0',
  ' ',
  '\t',
  ':',
  ',',
  ';',
  '0',
  '9',
  'F',
  '-',
  '+',
  '\xff',
  '\xa0',
  '"',
  '\x7f',
  'chunked',
  'HTTP/1.1',
];

/** One to three small changes: what an attacker tries, and what a broken sender does. */
export function mutate(text: string, random: (below: number) => number): string {
  let changed = text;
  for (let n = 1 + random(3); n > 0; n--) {
    const at = random(changed.length + 1);
    const odd = ODD[random(ODD.length)] ?? '';
    const lines = changed.split('\r\n');
    const line = random(lines.length);
    switch (random(7)) {
      case 0:
        changed = changed.slice(0, at) + odd + changed.slice(at);
        break;
      case 1:
        changed = changed.slice(0, at) + odd + changed.slice(at + 1 + random(3));
        break;
      case 2:
        changed = changed.slice(0, at) + changed.slice(at + 1 + random(4));
        break;
      case 3:
        changed = lines.toSpliced(line, 0, lines[line] ?? '').join('\r\n');
        break;
      case 4:
        changed = lines.toSpliced(line, 1).join('\r\n');
        break;
      case 5:
        changed = lines.toSpliced(line, 0, 'Transfer-Encoding: chunked', 'Content-Length: 5').join('\r\n');
        break;
      case 6:
        changed = lines
          .with(
            line,
            (lines[line] ?? '').replace(/[A-Z]/gi, (letter) => (random(2) === 0 ? letter.toUpperCase() : letter.toLowerCase())),
          )
          .join('\r\n');
        break;
    }
  }
  return changed;
}
