import { deepEqual, equal, ok } from 'node:assert/strict';
import { type FieldLine, type Message, statusOf } from '../stage/message.ts';
import { HOST, type Stage } from '../stage/stage.ts';
import { checkAnswer } from './expect.ts';
import { eachForwarded, forwarded, get } from './makers.ts';
import { PARSED, type Row, row } from './row.ts';

export const GZIP_LIKE = 'no gzip at all \x00\x1f\x8b\xff';
export const lines = (fields: readonly FieldLine[]): string => fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');

/** The application answers with these fields before Content-Length; what of it the client sees. */
export const answered = (
  id: string,
  title: string,
  {
    fields,
    status = '200 OK',
    body = 'ok',
    request = get('/x'),
  }: { readonly fields: string; readonly status?: string; readonly body?: string; readonly request?: string },
  check: (answer: Message, stage: Stage) => void,
): Row =>
  row(
    id,
    title,
    async (stage) => {
      stage.web.restart((exchange) => {
        const bytes = `HTTP/1.1 ${status}\r\n${fields}Content-Length: ${body.length}\r\n\r\n${exchange.method === 'HEAD' ? '' : body}`;
        if (stage.way === 'single-bytes') for (const byte of Buffer.from(bytes, 'latin1')) exchange.send(Buffer.of(byte));
        else exchange.send(bytes);
      });
      const client = await stage.open();
      const answer = await client.ask(request);
      equal(answer.state, 'whole');
      check(answer, stage);
      checkAnswer(await client.ask(request), statusOf(answer));
    },
    { ways: ['whole', 'single-bytes', 'second'] },
  );

export const withoutLength = (answer: Message): readonly FieldLine[] =>
  answer.fields.filter(([name]) => name !== 'Content-Length');
export const KEPT: readonly FieldLine[] = [
  ['X-FoO', '1'],
  ['x-bar', '2'],
  ['X-FoO', '3'],
  ['Cookie', 'a=1'],
  ['Cookie', 'b=2'],
  ['ACCEPT', '*/*'],
  ['x-bar', '2'],
];
export const CREDENTIALS: readonly FieldLine[] = [
  ['Authorization', 'Bearer abc=='],
  ['Cookie', 's=1; t="x,y"'],
  ['Origin', `https://${HOST}`],
  ['Referer', `https://${HOST}/y?z`],
  ['Sec-Fetch-Site', 'same-origin'],
  ['Accept-Encoding', 'gzip, br'],
  ['If-None-Match', 'W/"x"'],
  ['Range', 'bytes=0-1'],
];
export const FORGED: readonly FieldLine[] = [
  ['X-Forwarded-For', '6.6.6.6'],
  ['X-Forwarded-For', '6.6.6.6'],
  ['Forwarded', 'for=6.6.6.6;host=evil.example'],
  ['X-Real-IP', '6.6.6.6'],
  ['X-Forwarded-Host', 'evil.example'],
  ['X-Forwarded-Proto', 'gopher'],
];
export const OURS: readonly FieldLine[] = [
  ['X-Forwarded-For', '127.0.0.1'],
  ['X-Forwarded-Proto', 'https'],
  ['X-Forwarded-Host', HOST],
];
/** Every forwarding field there is, exactly. */
export const checkForwarding = (request: Message | undefined): void => {
  ok(request !== undefined);
  deepEqual(
    request.fields.filter(([name]) => /forwarded|real.ip/i.test(name)),
    OURS,
  );
};
export const RESPONSE_KEPT: readonly FieldLine[] = [
  ['X-FoO', '1'],
  ['Set-Cookie', 'a=1; Path=/'],
  ['x-bar', '2'],
  ['Set-Cookie', 'b=2'],
  ['WWW-Authenticate', 'Basic'],
  ['WWW-Authenticate', 'Bearer'],
  ['X-FoO', '3'],
];

export const hopByHop: readonly Row[] = [
  forwarded(
    'hop-01',
    'fields named by Connection, Keep-Alive and Proxy-Connection stop here',
    get(
      '/x',
      'Connection: close, X-Secret\r\nX-Secret: 1\r\nKeep-Alive: timeout=9\r\nProxy-Connection: keep-alive\r\nX-Stays: 1\r\n',
    ),
    { lines: [['X-Stays', '1']], lacks: ['connection'] },
  ),
  forwarded(
    'hop-03',
    'Connection cannot remove Host or our own forwarding fields',
    get('/x', 'Connection: close, Host, X-Forwarded-For, X-Forwarded-Proto, X-Forwarded-Host\r\n'),
    { has: [['Host', HOST], ...OURS] },
  ),
  forwarded('hop-04', 'TE: only trailers may pass', get('/x', 'TE: gzip, trailers;q=0.5\r\nConnection: TE\r\n'), {
    lines: [['TE', 'trailers']],
    has: [['Connection', 'TE']],
  }),
  forwarded('hop-05', 'Upgrade without a Connection token stops here', get('/x', 'Upgrade: h2c\r\n'), { lines: [] }),
  row(
    'hop-06',
    'forged forwarding fields are replaced',
    async (stage) => {
      const client = await stage.open();
      checkAnswer(await client.ask(get('/x', lines(FORGED))), 200);
      checkForwarding(stage.web.requests()[0]);
      ok(!/6\.6\.6\.6|evil|gopher/.test(stage.web.requests()[0]?.head ?? ''));
    },
    { ways: PARSED },
  ),
  forwarded('hop-09', 'names, order and duplicates are kept', get('/x', lines(KEPT)), { lines: KEPT }),
  forwarded('hop-10', 'nothing is added but the documented forwarding fields', get('/x'), {
    lines: [],
    lacks: ['connection'],
    has: OURS,
  }),
  forwarded('hop-11', 'credentials and browser fields of the application pass untouched', get('/x', lines(CREDENTIALS)), {
    lines: CREDENTIALS,
  }),
  eachForwarded('hop-12', 'Host at the application is the public name', [
    [get('/x'), { has: [['Host', HOST]] }],
    [
      get('/x', '', `${HOST}:8443`),
      {
        has: [
          ['Host', `${HOST}:8443`],
          ['X-Forwarded-Host', `${HOST}:8443`],
        ],
      },
    ],
  ]),
  answered(
    'hop-15',
    'response fields named by Connection, Keep-Alive and Proxy-Connection stop here',
    {
      fields:
        'Connection: keep-alive, X-Internal\r\nX-Internal: 1\r\nKeep-Alive: timeout=77, max=7\r\nProxy-Connection: keep-alive\r\nX-Stays: 1\r\n',
    },
    (answer) => deepEqual(withoutLength(answer), [['X-Stays', '1']]),
  ),
  answered('hop-17', 'response names, order and duplicates are kept', { fields: lines(RESPONSE_KEPT) }, (answer) =>
    deepEqual(withoutLength(answer), RESPONSE_KEPT),
  ),
  answered(
    'hop-18',
    'UTF-8 bytes in a response field arrive byte for byte',
    { fields: 'Content-Disposition: attachment; filename="\xc3\xa9\xe4\xb8\xad.txt"\r\nX-Odd: \xff\r\n' },
    (answer) =>
      deepEqual(withoutLength(answer), [
        ['Content-Disposition', 'attachment; filename="\xc3\xa9\xe4\xb8\xad.txt"'],
        ['X-Odd', '\xff'],
      ]),
  ),
  answered('hop-19', 'Trailer beside Content-Length does no harm', { fields: 'Trailer: x-t\r\n' }, (answer) =>
    checkAnswer(answer, 200, 'ok'),
  ),
  answered(
    'hop-20',
    'compressed bodies pass as they are',
    { fields: 'Content-Encoding: gzip\r\n', body: GZIP_LIKE },
    (answer) => {
      checkAnswer(answer, 200, GZIP_LIKE);
      deepEqual(answer.fields, [
        ['Content-Encoding', 'gzip'],
        ['Content-Length', String(GZIP_LIKE.length)],
      ]);
    },
  ),
  row(
    'hop-23',
    'unusual statuses and reasons pass',
    async (stage) => {
      const client = await stage.open();
      for (const status of ['299 Fine', "418 I'm a teapot", '599 Whatever It Is', '451 \xc3\xa9']) {
        stage.web.restart((exchange) => exchange.respond(status, { status }));
        const answer = await client.ask(get('/x'));
        checkAnswer(answer, Number(status.slice(0, 3)), status);
        equal(answer.startLine, `HTTP/1.1 ${status}`);
      }
    },
    { ways: PARSED },
  ),
];
