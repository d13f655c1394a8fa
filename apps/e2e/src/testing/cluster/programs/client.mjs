// A client in a Pod, or outside of one. Reads what to do as lines of JSON, each with an id, and answers each with a line.

import { Agent, request } from 'node:https';
import { connect as dial } from 'node:net';
import { createInterface } from 'node:readline';
import { connect } from 'node:tls';

const ANSWER_MS = 3_000;
const tunnels = new Map();
const say = (message) => void process.stdout.write(`${JSON.stringify(message)}\n`);

const acts = {
  // A connection of its own for each request: a reused one would hide a listener that is gone.
  get({ address, port, host, serverName = host, path = '/', ca, headers = {}, withinMs = ANSWER_MS }, answer) {
    const agent = new Agent({ keepAlive: false, maxCachedSessions: 0 });
    const options = { host: address, port, servername: serverName, path, ca, agent, timeout: withinMs };
    const sent = request({ ...options, headers: { ...headers, host } }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text) => {
        body += text;
      });
      response.on('error', (error) => answer({ status: 0, error: error.message }));
      response.on('end', () => answer({ status: response.statusCode, code: response.headers['sallyport-error'] ?? '', body }));
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
    sent.on('error', (error) => answer({ status: 0, error: error.code ?? error.message }));
    sent.end();
  },
  tunnel({ id, address, port, host, ca }, answer) {
    const socket = connect({ host: address, port, servername: host, ca });
    socket.on('error', () => undefined);
    socket.write(
      `GET /ws HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    socket.once('data', (head) => answer({ opened: head.toString('latin1').startsWith('HTTP/1.1 101') }));
    socket.once('close', () => {
      tunnels.delete(id);
      say({ closed: id });
    });
    tunnels.set(id, socket);
  },
  // Whether what is sent through a tunnel comes back.
  echo({ tunnel, text }, answer) {
    const socket = tunnels.get(tunnel);
    if (socket === undefined) return answer({ text: undefined });
    const timer = setTimeout(() => answer({ text: undefined }), ANSWER_MS);
    socket.once('data', (bytes) => {
      clearTimeout(timer);
      answer({ text: bytes.toString() });
    });
    socket.write(text);
  },
  // Whether a TCP connection is taken at all.
  dial({ address, port, withinMs }, answer) {
    const socket = dial({ host: address, port, timeout: withinMs });
    const end = (outcome) => () => {
      socket.destroy();
      answer({ outcome });
    };
    socket.once('connect', end('connected')).once('timeout', end('timeout'));
    socket.once('error', (error) => answer({ outcome: error.code }));
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const asked = JSON.parse(line);
  acts[asked.act](asked, (message) => say({ id: asked.id, ...message }));
});
process.stdin.on('end', () => process.exit());
