import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type App, type AppSocket, answerEach, respond, type Script, startApp } from './testing/app.ts';
import { hostNamed, type Stage, startStage } from './testing/stage.ts';
import { until } from './testing/until.ts';

const HOST = hostNamed('web');
let stage: Stage;
let app: App;

beforeEach(async () => {
  stage = await startStage();
});
afterEach(async () => {
  await stage.close();
  await app.close();
});

async function serve(script: Script): Promise<void> {
  app = await startApp(script);
  stage.sandbox('s1', { web: app.port });
}

const request = (line: string, fields = '', body = ''): string => `${line} HTTP/1.1\r\nHost: ${HOST}\r\n${fields}\r\n${body}`;
const get = (path = '/x', fields = ''): string => request(`GET ${path}`, fields);

/** Calls once with the first head of each connection, and later with nothing. */
const onFirst =
  (act: (connection: AppSocket) => void): Script =>
  (connection) => {
    if (connection.received().endsWith('\r\n\r\n')) act(connection);
  };

describe('a plain exchange', () => {
  test('goes to the application and back, and is recorded once', async () => {
    await serve(answerEach(respond('hello')));
    const client = await stage.connect(HOST);
    client.send(get('/x?y=1'));
    await client.sees('hello');
    expect(client.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(app.received()).toContain('GET /x?y=1 HTTP/1.1\r\n');
    expect(app.received()).toContain('X-Forwarded-For: 127.0.0.1\r\n');
    const record = {
      kind: 'http',
      status: 200,
      ending: 'complete',
      method: 'GET',
      path: '/x',
      host: HOST,
      service: 'web',
      sandboxId: 's1',
    };
    await until('record', () => stage.records.length === 1);
    expect(stage.records).toMatchObject([{ ...record, bytesIn: 0, bytesOut: 5, client: '127.0.0.1' }]);
  });

  test('twenty follow each other on one client connection and one application connection', async () => {
    await serve(answerEach((head) => respond(head.split(' ')[1] ?? '')));
    const client = await stage.connect(HOST);
    for (let n = 0; n < 20; n += 1) {
      client.send(n % 2 === 0 ? get(`/n${n};`) : request(`POST /n${n};`, 'Content-Length: 0\r\n'));
      await client.sees(`/n${n};`);
    }
    expect(app.connections).toHaveLength(1);
    expect(client.ended()).toBe(false);
  });

  test('pipelined requests are answered in order, one at a time', async () => {
    await serve(answerEach((head) => respond(head.split(' ')[1] ?? '')));
    const client = await stage.connect(HOST);
    client.send(get('/1;') + get('/2;') + get('/3;'));
    await client.sees('/3;');
    const order = ['/1;', '/2;', '/3;'].map((path) => client.received().indexOf(path));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(app.connections).toHaveLength(1);
  });

  test('garbage behind a good request is refused after its answer', async () => {
    await serve(answerEach(respond('fine')));
    const client = await stage.connect(HOST);
    client.send(`${get()}GARBAGE\r\n\r\n`);
    await client.isOver();
    expect(client.received()).toMatch(/^HTTP\/1\.1 200 [\s\S]*fineHTTP\/1\.1 400 /);
    expect(app.received().match(/GET /g)).toHaveLength(1);
  });

  test('Connection: close of the client is answered and obeyed', async () => {
    await serve(answerEach(respond('bye')));
    const client = await stage.connect(HOST);
    client.send(get('/x', 'Connection: close\r\n'));
    await client.isOver();
    expect(client.received()).toMatch(/Connection: close\r\n[\s\S]*bye$/i);
    expect(client.error()).toBeUndefined();
  });

  test('Connection: close of the application stays on its side', async () => {
    await serve(answerEach(respond('ok', 'Connection: close\r\n')));
    const client = await stage.connect(HOST);
    client.send(get());
    await client.sees('ok');
    client.send(get('/again'));
    await until('second connection', () => app.connections.length === 2);
    await until('first one closed', () => app.openCount() === 0);
    expect(client.ended()).toBe(false);
  });

  test('answers without a body keep the connection in step: HEAD, 204, 304', async () => {
    await serve(
      answerEach((head) => {
        if (head.startsWith('HEAD')) return 'HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n';
        if (head.includes('/204')) return 'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n';
        if (head.includes('/304')) return 'HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n';
        return respond('in step');
      }),
    );
    const client = await stage.connect(HOST);
    for (const [line, sign] of [
      ['HEAD /h', 'Content-Length: 12345\r\n\r\n'],
      ['GET /204', ' 204 '],
      ['GET /304', ' 304 '],
    ] as const) {
      client.send(request(line));
      await client.sees(sign);
    }
    client.send(get());
    await client.sees('in step');
  });
});

describe('bodies', () => {
  test('an upload with a length arrives byte for byte', async () => {
    const body = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 7) % 256)).toString('latin1');
    let seen = '';
    await serve((connection) => {
      seen = connection.received();
      if (seen.length - seen.indexOf('\r\n\r\n') - 4 === body.length) connection.socket.write(respond('thanks'));
    });
    const client = await stage.connect(HOST);
    client.send(request('POST /up', `Content-Length: ${body.length}\r\n`, body));
    await client.sees('thanks');
    expect(seen.slice(seen.indexOf('\r\n\r\n') + 4) === body).toBe(true);
    expect(stage.records[0]?.bytesIn).toBe(body.length);
  });

  test('chunks arrive as chunks, without extensions, with their trailer', async () => {
    await serve((connection) => {
      if (connection.received().endsWith('X-Sum: 42\r\n\r\n')) connection.socket.write(respond('thanks'));
    });
    const client = await stage.connect(HOST);
    client.send(
      request(
        'POST /up',
        'Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n',
        '5;a="b"\r\nhello\r\n0\r\nX-Sum: 42\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n',
      ),
    );
    await client.sees('thanks');
    expect(app.received()).toMatch(/5\r\nhello\r\n0\r\nX-Sum: 42\r\n\r\n$/);
    expect(app.received()).not.toContain('6.6.6.6');
  });

  test('each piece of an answer leaves when it comes', async () => {
    await serve(
      onFirst(({ socket }) =>
        socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n'),
      ),
    );
    const client = await stage.connect(HOST);
    client.send(get());
    await client.sees('event-stream');
    for (let n = 0; n < 5; n += 1) {
      app.connections[0]?.socket.write(`3\r\n e${n}\r\n`);
      await client.sees(` e${n}`);
    }
    app.connections[0]?.socket.write('0\r\nX-Sum: 1\r\n\r\n');
    await client.sees('0\r\nX-Sum: 1\r\n\r\n');
  });

  test('a body that ends with the connection ends properly', async () => {
    await serve(onFirst(({ socket }) => socket.end(`HTTP/1.0 200 OK\r\n\r\n${'z'.repeat(200_000)}`)));
    const client = await stage.connect(HOST);
    client.send(get());
    await client.sees('\r\n0\r\n\r\n');
    expect(client.received().match(/z/g)).toHaveLength(200_000);
  });

  test('an HTTP/1.0 client gets no chunks', async () => {
    await serve(
      onFirst(({ socket }) => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n')),
    );
    const client = await stage.connect(HOST);
    client.send(`GET /x HTTP/1.0\r\nHost: ${HOST}\r\n\r\n`);
    await client.isOver();
    expect(client.received()).not.toMatch(/Transfer-Encoding/i);
    expect(client.received()).toMatch(/\r\n\r\nhello$/);
    expect(client.error()).toBeUndefined();
  });

  test('an application may answer while the request is still being sent', async () => {
    await serve(({ socket }, chunk) => {
      const text = chunk.toString('latin1');
      if (text.includes('POST')) socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const word = /ping\d/.exec(text);
      if (word !== null) socket.write(`5\r\n${word[0].replace('ping', 'pong')}\r\n`);
    });
    const client = await stage.connect(HOST);
    client.send(request('POST /echo', 'Transfer-Encoding: chunked\r\n'));
    for (let n = 0; n < 3; n += 1) {
      client.send(`5\r\nping${n}\r\n`);
      await client.sees(`pong${n}`);
    }
  });
});

describe('interim answers', () => {
  test('100 comes from the application, and only then', async () => {
    await serve((connection, chunk) => {
      if (chunk.toString('latin1') === 'body!') connection.socket.write(respond('done'));
    });
    const client = await stage.connect(HOST);
    client.send(request('POST /up', 'Expect: 100-continue\r\nContent-Length: 5\r\n'));
    await until('head at the application', () => app.received().includes('Expect: 100-continue'));
    expect(client.received()).toBe('');
    app.connections[0]?.socket.write('HTTP/1.1 100 Continue\r\n\r\n');
    await client.sees('HTTP/1.1 100 ');
    client.send('body!');
    await client.sees('done');
    expect(client.received().match(/ 100 /g)).toHaveLength(1);
  });

  test('a refusal instead of 100 comes alone and ends the connection', async () => {
    await serve(onFirst(({ socket }) => socket.end(respond('too big', '', '413 Content Too Large'))));
    const client = await stage.connect(HOST);
    client.send(request('POST /up', 'Expect: 100-continue\r\nContent-Length: 1000000\r\n'));
    await client.isOver();
    expect(client.received()).toMatch(/^HTTP\/1\.1 413 [\s\S]*too big$/);
  });

  test('103 is passed on before the final answer exists', async () => {
    await serve(onFirst(({ socket }) => socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nLink: </b>\r\n\r\n')));
    const client = await stage.connect(HOST);
    client.send(get());
    await client.sees('Link: </b>\r\n\r\n');
    app.connections[0]?.socket.write(respond('final'));
    await client.sees('final');
  });
});

describe('an early answer', () => {
  test('to a large upload is read whole, although the application reads no more', async () => {
    await serve(({ socket }, chunk) => {
      if (!chunk.toString('latin1').includes('POST')) return;
      socket.pause();
      socket.write(respond('too big', 'Connection: close\r\n', '413 Content Too Large'));
    });
    const client = await stage.connect(HOST);
    client.send(request('POST /up', 'Content-Length: 20000000\r\n'));
    client.send(Buffer.alloc(20_000_000));
    await client.isOver();
    expect(client.received()).toMatch(/^HTTP\/1\.1 413 [\s\S]*too big$/);
    expect(client.error()).toBeUndefined();
  });

  test('never lets the rest of the body be taken for a request', async () => {
    const hidden = 'GET /SMUGGLED HTTP/1.1\r\n\r\n';
    await serve(({ socket }, chunk) => {
      if (chunk.toString('latin1').includes('POST')) socket.write(respond('early'));
    });
    const client = await stage.connect(HOST);
    client.send(request('POST /up', `Content-Length: ${1_000 + hidden.length}\r\n`, 'a'.repeat(1_000)));
    await client.sees('early');
    client.send(hidden);
    await client.isOver();
    expect(app.received().match(/ HTTP\/1\.1\r\n/g)?.length ?? 0).toBeLessThanOrEqual(2);
    expect(client.received().match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(stage.records).toHaveLength(1);
  });
});

describe('a reused application connection', () => {
  const dieOnSecond: Script = (connection, chunk) => {
    const count = connection.received().split(' HTTP/1.1\r\n').length - 1;
    if (connection.index === 0 && count === 2) connection.socket.destroy();
    else if (chunk.includes(' HTTP/1.1\r\n')) connection.socket.write(respond(`answer ${connection.index}`));
  };

  test('that dies without a byte costs a repetition of GET, on a new connection, once', async () => {
    await serve(dieOnSecond);
    const client = await stage.connect(HOST);
    client.send(get());
    await client.sees('answer 0');
    client.send(get('/again'));
    await client.sees('answer 1');
    expect(app.received().match(/\/again/g)).toHaveLength(2);
  });

  test('that dies costs a POST its answer: it is never sent twice', async () => {
    await serve(dieOnSecond);
    const client = await stage.connect(HOST);
    client.send(get());
    await client.sees('answer 0');
    client.send(request('POST /again', 'Content-Length: 5\r\n', 'hello'));
    await client.sees(' 502 ');
    expect(client.received()).toContain('sallyport-error: app_protocol');
    expect(app.received().match(/\/again/g)).toHaveLength(1);
  });

  test.each([
    ['a second answer', 'HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\npoisoned'],
    ['bytes', 'and some more'],
  ])('is not reused with %s behind the first', async (_title, surplus) => {
    await serve((connection, chunk) => {
      if (chunk.includes('/bad')) connection.socket.write(respond('ok') + surplus);
      else connection.socket.write(respond(`good ${connection.index}`));
    });
    const client = await stage.connect(HOST);
    client.send(get('/bad'));
    await client.sees('ok');
    client.send(get('/next'));
    await client.sees('good 1');
    expect(client.received()).not.toContain(surplus.slice(-8));
  });

  test('is dropped when something comes that nobody asked for', async () => {
    await serve(answerEach(respond('ok')));
    const client = await stage.connect(HOST);
    client.send(get());
    await client.sees('ok');
    app.connections[0]?.socket.write('HTTP/1.1 200 OK\r\n\r\n');
    // Sooner than it would be closed for waiting too long.
    await until('it is closed', () => app.openCount() === 0, 1_000);
    client.send(get('/next'));
    await until('another connection', () => app.connections.length === 2);
  });

  test('is never one of another route, even to the same port', async () => {
    app = await startApp(answerEach((head) => respond(`${/Host: (\S+)/.exec(head)?.[1]};`)));
    stage.sandbox('s1', { web: app.port, api: app.port });
    stage.sandbox('s2', { twin: app.port });
    for (const label of ['web', 'api', 'twin', 'web', 'api', 'twin']) {
      const host = hostNamed(label);
      const client = await stage.connect(host);
      client.send(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      await client.sees(`${host};`);
    }
    expect(app.connections).toHaveLength(3);
    for (const connection of app.connections) {
      expect(new Set(connection.received().match(/Host: \S+/g)).size).toBe(1);
    }
  });
});
