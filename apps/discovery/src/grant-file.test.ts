import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openGrantFile, readGrantSet } from './grant-file.ts';
import { createStage } from './testing/stage.ts';

const directory = mkdtempSync(join(tmpdir(), 'sallyport-grants-'));
const stage = await createStage();
afterAll(async () => {
  await stage.close();
  rmSync(directory, { recursive: true });
});

let generation = 0;
/** As Kubernetes projects a volume: a new directory, and `..data` renamed over to it. */
function project(contents: object): void {
  generation += 1;
  const name = `..${generation}`;
  mkdirSync(join(directory, name));
  writeFileSync(join(directory, name, 'grants.json'), JSON.stringify(contents));
  symlinkSync(name, join(directory, '..data_tmp'));
  renameSync(join(directory, '..data_tmp'), join(directory, '..data'));
  if (generation === 1) symlinkSync(join('..data', 'grants.json'), join(directory, 'grants.json'));
}
const grants = (version: number, grantsOf: object, notAfter = '2100-01-01T00:00:00Z') => ({
  version,
  notAfter,
  grants: grantsOf,
});

const rows: [title: string, text: string, want: RegExp][] = [
  ['no JSON', '{', /no JSON/],
  ['null', 'null', /version/],
  ['no version', JSON.stringify({ ...grants(1, {}), version: undefined }), /version/],
  ['version 0', JSON.stringify(grants(0, {})), /version/],
  ['no end', JSON.stringify({ ...grants(1, {}), notAfter: undefined }), /notAfter/],
  ['an end that is no time', JSON.stringify(grants(1, {}, 'soon')), /notAfter/],
  ['no grants', JSON.stringify({ ...grants(1, {}), grants: [] }), /grants is not an object/],
  ['a principal that is none', JSON.stringify(grants(1, { 'a b': [] })), /"a b"/],
  ['workspaces that are none', JSON.stringify(grants(1, { a: ['A_B'] })), /"a"/],
  ['workspaces that are no list', JSON.stringify(grants(1, { a: 'team' })), /"a"/],
];
test.each(rows)('a file is refused: %s', (_title, text, want) => {
  expect(readGrantSet(text)).toMatchObject({ ok: false, error: expect.stringMatching(want) });
});

test('a swapped file narrows an open stream within a second; an older one is not taken, an ended one grants nothing', async () => {
  const { clock, memory, publisher } = stage;
  project(grants(3, { 'edge-1': ['team', 'other'] }));
  const one = await stage.start('d1', { grantsDirectory: directory });
  await clock.advanceAsync(1_000);
  await publisher.generation();
  await publisher.publish('team', 'demo', memory.revision());
  await publisher.publish('other', 'box', memory.revision());
  await clock.advanceAsync(1_000);
  const watcher = stage.watch(one, await stage.tokenOf({ kind: 'reader', workspaces: 'all' }, 'edge-1'));
  await watcher.until(() => watcher.hosts().length === 2);
  project(grants(2, { 'edge-1': [] }));
  project(grants(4, { 'edge-1': ['team'] }));
  await watcher.until(() => watcher.hosts().length === 1);
  expect(watcher.messages.at(-1)).toMatchObject({ kind: 'delta' });
  expect(watcher.hosts()).toEqual(['team--demo--web.apps.test']);
  project(grants(5, { 'edge-1': ['team'] }, '2001-01-01T00:00:00Z'));
  expect(await watcher.over()).toMatchObject({ kind: 'forbidden' });
});

test('a file that cannot be read is a reason not to start', async () => {
  const options = { unixMs: Date.now, onChange: () => undefined, onProblem: () => undefined };
  expect(await openGrantFile(join(directory, 'none'), options)).toMatchObject({
    ok: false,
    error: expect.stringMatching(/ENOENT/),
  });
});
