import { deepEqual, equal, ok } from 'node:assert/strict';
import { fieldOf, fieldsOf, type Message } from '../stage/message.ts';
import { HOST } from '../stage/stage.ts';
import { checkAnswer, checkSeen } from './expect.ts';
import { answered, checkForwarding, FORGED, lines, OURS, RESPONSE_KEPT, withoutLength } from './hop-by-hop.ts';
import { forwarded, get } from './makers.ts';
import { PARSED, type Row, row } from './row.ts';

/** Neighbours: other ways to name a field away, and other names for the same thing. */
export const hopByHopMore: readonly Row[] = [
  forwarded(
    'hop-n01',
    'Connection in three fields, other letters, empty members',
    get(
      '/x',
      'connection: X-A\r\nX-A: 1\r\nCONNECTION: ,, x-b ,\r\nX-B: 2\r\nConnection: keep-alive,X-C\r\nx-c: 3\r\nX-Stays: 1\r\n',
    ),
    { lines: [['X-Stays', '1']] },
  ),
  forwarded(
    'hop-n02',
    'a named field stops here wherever it stands, and as often as it stands',
    get('/x', 'X-S: 1\r\nConnection: x-s\r\nX-s: 2\r\nX-Sx: 3\r\n'),
    { lines: [['X-Sx', '3']] },
  ),
  forwarded(
    'hop-n03',
    'Connection cannot remove Content-Length of a GET, Cookie goes if it is named',
    get('/x', 'Connection: Cookie\r\nCookie: a=1\r\n'),
    { lines: [] },
  ),
  forwarded(
    'hop-n04',
    'proxy credentials are not the application’s business',
    get('/x', 'Proxy-Authorization: Basic eDp5\r\nProxy-Authenticate: x\r\n'),
    { lines: [] },
  ),
  forwarded('hop-n05', 'TE without trailers stops here', get('/x', 'TE: gzip, deflate;q=0.5\r\nConnection: TE\r\n'), {
    lines: [],
    lacks: ['connection'],
  }),
  forwarded('hop-n06', 'two TE fields become one', get('/x', 'TE: trailers\r\nTE: trailers\r\nConnection: TE\r\n'), {
    lines: [['TE', 'trailers']],
  }),
  forwarded(
    'hop-n07',
    'our own control fields cannot be sent in',
    get('/x', 'Sallyport-Error: x\r\nsallyport-anything: y\r\nSALLYPORT_ERROR: z\r\n'),
    { lines: [] },
  ),
  row(
    'hop-n08',
    'forwarding fields that an application could take for ours in another spelling',
    async (stage) => {
      const client = await stage.open();
      const forged = [
        'X_Forwarded_For',
        'x-forwarded_for',
        'X.Forwarded.For',
        'X-FORWARDED-HOST',
        'x_real_ip',
        'FORWARDED',
        'X-Forwarded-Port',
        'X-Forwarded-Server',
        'X-Forwarded-Prefix',
        'x_forwarded_proto',
      ];
      checkAnswer(await client.ask(get('/x', forged.map((name) => `${name}: 6.6.6.6\r\n`).join(''))), 200);
      checkForwarding(stage.web.requests()[0]);
      ok(!stage.web.requests()[0]?.head.includes('6.6.6.6'));
    },
    { ways: PARSED },
  ),
  row(
    'hop-n09',
    'forged forwarding fields that Connection names: ours stand',
    async (stage) => {
      const client = await stage.open();
      checkAnswer(
        await client.ask(get('/x', `Connection: X-Forwarded-For, X-Forwarded-Proto, X-Real-IP, Forwarded\r\n${lines(FORGED)}`)),
        200,
      );
      checkForwarding(stage.web.requests()[0]);
    },
    { ways: PARSED },
  ),
  row(
    'hop-n10',
    'forged forwarding fields in HTTP/1.0',
    async (stage) => {
      const client = await stage.open();
      checkAnswer(await client.ask(`GET /x HTTP/1.0\r\nHost: ${HOST}\r\n${lines(FORGED)}\r\n`), 200);
      checkForwarding(stage.web.requests()[0]);
    },
    { ways: PARSED },
  ),
  row(
    'hop-n11',
    'forwarding fields of the second request of a connection are its own',
    async (stage) => {
      const client = await stage.open();
      client.send(get('/1', lines(FORGED)) + get('/2', '', `${HOST}:1234`));
      await client.answer();
      await client.answer();
      checkForwarding(stage.web.requests()[0]);
      deepEqual(fieldsOf(stage.web.requests()[1] as Message, 'x-forwarded-host'), [`${HOST}:1234`]);
    },
    { ways: PARSED },
  ),
  forwarded(
    'hop-n12',
    'Host in capitals, with a dot and a port, arrives as the public name',
    get('/x', '', `${HOST.toUpperCase()}.:8443`),
    {
      has: [
        ['Host', `${HOST}:8443`],
        ['X-Forwarded-Host', `${HOST}:8443`],
      ],
    },
  ),
  answered(
    'hop-n13',
    'response: Connection in two fields with other letters',
    { fields: 'CONNECTION: x-a\r\nX-A: 1\r\nconnection: X-B, ,\r\nx-b: 2\r\nX-Stays: 1\r\n' },
    (answer) => deepEqual(withoutLength(answer), [['X-Stays', '1']]),
  ),
  answered('hop-n14', 'response: Connection cannot remove the length', { fields: 'Connection: Content-Length\r\n' }, (answer) => {
    checkAnswer(answer, 200, 'ok');
    equal(fieldOf(answer, 'content-length'), '2');
  }),
  answered(
    'hop-n15',
    'response: an application cannot speak in our name',
    { fields: 'sallyport-error: app_protocol\r\nSallyport-Anything: 1\r\n' },
    (answer) => deepEqual(withoutLength(answer), []),
  ),
  answered(
    'hop-n16',
    'response: Upgrade offered in a 200 stops here',
    { fields: 'Connection: Upgrade\r\nUpgrade: h2c\r\n' },
    (answer) => deepEqual(withoutLength(answer), []),
  ),
  answered(
    'hop-n17',
    'response: a 426 tells which protocol would do',
    { fields: 'Connection: Upgrade\r\nUpgrade: foo/2\r\n', status: '426 Upgrade Required' },
    (answer) => {
      equal(fieldOf(answer, 'upgrade'), 'foo/2');
      equal(fieldOf(answer, 'connection'), 'Upgrade');
    },
  ),
  answered(
    'hop-n18',
    'response: Proxy-Authenticate and TE stop here',
    { fields: 'Proxy-Authenticate: Basic\r\nTE: trailers\r\nAlt-Svc: h3=":443"\r\n' },
    (answer) => deepEqual(withoutLength(answer), [['Alt-Svc', 'h3=":443"']]),
  ),
  answered('hop-n19', 'response: an empty reason, and none', { fields: '', status: '200 ' }, (answer) =>
    equal(answer.startLine, 'HTTP/1.1 200 '),
  ),
  answered(
    'hop-n20',
    'response: fields of an answer to HEAD are those of the GET',
    { fields: lines(RESPONSE_KEPT), request: get('/x').replace('GET', 'HEAD') },
    (answer) => {
      deepEqual(withoutLength(answer), RESPONSE_KEPT);
      equal(answer.bodyBytes, 0);
    },
  ),
  answered(
    'hop-n21',
    'response: cookies for neighbours lose their Domain, others stay as they are',
    {
      fields: `Set-Cookie: a=1; Domain=apps.test; Path=/\r\nSet-Cookie: b=2; domain=.test\r\nSet-Cookie: c=3; Domain=${HOST}; HttpOnly\r\n`,
    },
    (answer) => deepEqual(fieldsOf(answer, 'set-cookie'), ['a=1; Path=/', 'b=2', `c=3; Domain=${HOST}; HttpOnly`]),
  ),
  row('hop-n22', 'policy: host loopback and origin match-host', async (stage) => {
    stage.sandboxes.case.serve(
      { web: stage.web.port, api: stage.api.port },
      { host: { kind: 'loopback' }, origin: 'match-host', cookies: 'pass' },
    );
    stage.web.restart((exchange) => exchange.respond('ok', { fields: 'Set-Cookie: a=1; Domain=apps.test\r\n' }));
    const client = await stage.open();
    const answer = await client.ask(get('/x', `Origin: https://${HOST}\r\n`));
    checkAnswer(answer, 200, 'ok');
    equal(fieldOf(answer, 'set-cookie'), 'a=1; Domain=apps.test');
    checkSeen(stage.web.requests()[0], {
      has: [['Host', `localhost:${stage.web.port}`], ['Origin', `https://localhost:${stage.web.port}`], ...OURS],
    });
    const foreign = await client.ask(get('/x', 'Origin: https://evil.example\r\n'));
    checkAnswer(foreign, 200);
    equal(fieldOf(stage.web.requests()[1] as Message, 'origin'), 'https://evil.example');
    stage.sandboxes.case.serve({ web: stage.web.port, api: stage.api.port });
  }),
];
