import { readdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newFolder, runDev } from './dev-stack.ts';

let taken: Server;
let takenPort: number;

beforeAll(async () => {
  taken = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await new Promise((listening) => taken.once('listening', listening));
  takenPort = (taken.address() as { port: number }).port;
});
afterAll(() => void taken.close());

/** `{taken}` stands for a port that somebody has; on port 1 (tcpmux) nobody listens. */
const rows: readonly [title: string, args: readonly string[], code: number, says: RegExp][] = [
  [
    'a taken port',
    ['--port={taken}', '--service=web={taken}'],
    1,
    /cannot listen on 127\.0\.0\.1:\d+: the port is in use; .* choose another with --port/,
  ],
  ['a malformed service', ['--service=web'], 64, /names no port: write it as/],
  ['a name with two hyphens in a row', ['--service=team/my--box/web=3000'], 64, /contains "--"/],
  ['a port out of range', ['--port=70000'], 64, /65535/],
  ['a service port out of range', ['--service=web=70000'], 64, /not between 1 and 65535/],
  ['a ready file in a folder that is not there', ['--ready-file=missing/ready.json'], 64, /--ready-file: .*cannot be written/],
  ['a ready file that is a folder', ['--ready-file=.'], 64, /is a directory; name a file/],
  [
    'an application that nobody started',
    ['--port=0', '--service=web=1'],
    1,
    /nothing listens on 127\.0\.0\.1:\d+: start your application first/,
  ],
  ['an application on another machine', ['--service=web=192.0.2.1:80'], 64, /only this machine's loopback/],
  ['an unknown option', ['--prot=1'], 64, /--port/],
  ['a domain that is none', ['--domain=-'], 64, /domain/],
  ['a certificate without its key', ['--cert=cert.pem'], 64, /--cert and --key go together/],
  ['a certificate that is not there', ['--cert=no.pem', '--key=cert.pem'], 64, /no\.pem/],
  ['a log level that does not exist', ['--log-level=loud'], 64, /--log-level/],
  ['a state directory that is a file', ['--state-dir=cert.pem'], 64, /is a file; name a directory/],
];

test.concurrent.each(rows)(
  '%s: says what and how to mend it, and leaves nothing behind',
  async (_title, args, code, says) => {
    await using own = await ownFolder();
    const { folder } = own;
    await writeFile(join(folder, 'cert.pem'), 'no certificate');
    const given = args.map((arg) => arg.replace('{taken}', String(takenPort)));
    const ended = await runDev(folder, given);
    expect(ended.stderr).toMatch(says);
    expect(ended.code).toBe(code);
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(ended.stdout).toBe('');
    expect((await readdir(folder)).filter((name) => name !== '.sallyport')).toEqual(['cert.pem']);
    // The CA may have been made: it is kept for the next start. Nothing else.
    expect((await readdir(join(folder, '.sallyport')).catch(() => [])).filter((name) => name !== 'pki')).toEqual([]);
  },
  90_000,
);

test('several mistakes are told together', async () => {
  await using own = await ownFolder();
  const ended = await runDev(own.folder, ['--service=web', '--port=70000']);
  expect(ended.code).toBe(64);
  expect(ended.stderr.trimEnd().split('\n')).toHaveLength(2);
});

async function ownFolder() {
  const { folder, remove } = await newFolder();
  return { folder, [Symbol.asyncDispose]: remove };
}
