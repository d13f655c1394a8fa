import { equal } from 'node:assert/strict';
import { fieldOf, statusOf } from '../stage/message.ts';
import { pause } from '../stage/until.ts';
import { CHUNKED_UPLOAD } from './client-abort.ts';
import { checkAnswer, checkRefusal } from './expect.ts';
import { get } from './makers.ts';
import { type Row, row } from './row.ts';
import { CHUNKED, noAnswer, OLD, POST, unfinished } from './upstream-death.ts';

/** Neighbours: other moments at which an application dies. */
export const upstreamDeathMore: readonly Row[] = [
  unfinished('death-n01', 'reset inside a chunk', `${CHUNKED}64\r\nhalf`, 'reset'),
  unfinished('death-n02', 'FIN inside the trailer section', `${CHUNKED}5\r\nhello\r\n0\r\nX-A: 1\r\n`, 'FIN'),
  unfinished('death-n03', 'FIN after the last chunk and before the empty line', `${CHUNKED}5\r\nhello\r\n0\r\n`, 'FIN'),
  unfinished(
    'death-n04',
    'reset of a body of known length, one byte short',
    'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n'.concat('x'.repeat(99)),
    'reset',
  ),
  unfinished('death-n05', 'FIN inside a chunk size', `${CHUNKED}5\r\nhello\r\n1`, 'FIN'),
  unfinished(
    'death-n06',
    'reset of an HTTP/1.0 answer that would end with the connection',
    'HTTP/1.0 200 OK\r\n\r\npart of it',
    'reset',
  ),
  row(
    'death-n07',
    'an HTTP/1.0 client whose chunked answer breaks off: the end is not clean',
    async (stage) => {
      stage.web.restart(async (exchange) => {
        exchange.send(`${CHUNKED}5\r\nhello\r\n`);
        await pause(100);
        exchange.close();
      });
      const client = await stage.open();
      const answer = await client.ask(OLD);
      await client.isOver(2_000);
      equal(answer.state, 'unfinished');
      equal(client.over(), 'reset');
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  ),
  noAnswer('death-n08', 'reset instead of an answer', (exchange) => exchange.reset()),
  noAnswer('death-n09', 'FIN between the head and its empty line', (exchange) =>
    exchange.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n'),
  ),
  noAnswer(
    'death-n10',
    '100 and then reset',
    async (exchange) => {
      exchange.send('HTTP/1.1 100 Continue\r\n\r\n');
      await pause(50);
      exchange.reset();
    },
    POST,
  ),
  noAnswer('death-n11', 'FIN instead of an answer to HEAD', (exchange) => exchange.close(), get('/x').replace('GET', 'HEAD')),
  row(
    'death-n12',
    'the application ends cleanly right behind a whole answer: the answer is whole',
    async (stage) => {
      stage.web.restart((exchange) => exchange.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
      const client = await stage.open();
      for (let n = 0; n < 5; n++) {
        const answer = await client.ask(get('/x'));
        checkAnswer(answer, 200, 'ok');
        equal(fieldOf(answer, 'sallyport-error'), undefined);
      }
    },
    { ways: ['whole', 'second', 'tls-1.2'] },
  ),
  row(
    'death-n13',
    'the application resets right behind a whole answer that was read: the answer is whole',
    async (stage) => {
      stage.web.restart(async (exchange) => {
        exchange.respond('ok');
        await pause(50);
        exchange.reset();
      });
      const client = await stage.open();
      for (let n = 0; n < 3; n++) checkAnswer(await client.ask(get('/x')), 200, 'ok');
    },
    { ways: ['whole', 'second'] },
  ),
  row(
    'death-n14',
    'reset in the middle of a chunked upload, then the rest of it: 502 and no second request',
    async (stage) => {
      stage.web.restart((exchange) => exchange.reset());
      const client = await stage.open();
      client.send(CHUNKED_UPLOAD);
      const answer = await client.answer();
      checkRefusal(answer, 502, 'app_protocol');
      client.send(`0\r\n\r\n${get('/SMUGGLED-T')}`);
      await client.isOver(3_000);
      equal(client.messages.filter((message) => statusOf(message) === 502).length, 1);
    },
    { ways: ['whole', 'single-bytes'] },
  ),
];
