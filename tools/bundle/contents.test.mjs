import { expect, test } from 'vitest';
import { mayNotContain, packagesIn, purityOf, testFilesIn } from './contents.mjs';

const rows = [
  ['an own lib', 'libs/store/src/port.ts', '@sallyport/store'],
  ['an own app', 'apps/gateway/src/wire.ts', '@sallyport/gateway'],
  ['a package', 'node_modules/pino/pino.js', 'pino'],
  ['a package with a scope', 'node_modules/@grpc/grpc-js/build/src/index.js', '@grpc/grpc-js'],
  ['the inner one of nested packages', 'node_modules/etcd3/node_modules/long/index.js', 'long'],
];
test.each(rows)('knows %s by its file', (_title, file, name) => {
  expect([...packagesIn([file])]).toEqual([[name, file]]);
});

test('a forbidden package is refused with its reason', () => {
  const map = { supervisor: { '@sallyport/store': 'It runs beside untrusted code.' } };
  const inputs = ['apps/supervisor/src/main.ts', 'libs/wire/src/index.ts', 'libs/store/src/port.ts'];
  expect(mayNotContain('supervisor', inputs, map)).toEqual([
    'the bundle of supervisor contains @sallyport/store (libs/store/src/port.ts). It runs beside untrusted code.',
  ]);
  expect(mayNotContain('gateway', inputs, map)).toEqual([]);
});

test('what is there for tests is in no bundle', () => {
  const inputs = ['libs/store/src/testing/harness.ts', 'libs/store/src/memory.ts', 'node_modules/x/testing/y.js'];
  expect(testFilesIn('gateway', inputs)).toEqual([
    'the bundle of gateway contains libs/store/src/testing/harness.ts, which is for tests',
  ]);
});

test('a pure lib holds itself and what it may import', () => {
  const inputs = { 'libs/session/src/index.ts': {}, 'libs/authority/src/index.ts': {}, 'libs/model/src/index.ts': {} };
  expect(purityOf('session', { inputs, outputs: {} })).toEqual([]);
});

test('a pure lib holds nothing else', () => {
  const inputs = { 'libs/model/src/index.ts': {}, 'node_modules/pino/pino.js': {} };
  const outputs = { 'dist/model.mjs': { imports: [{ path: 'node:fs', external: true }] } };
  expect(purityOf('model', { inputs, outputs })).toEqual([
    'the pure lib model contains pino (node_modules/pino/pino.js)',
    'the pure lib model imports node:fs',
  ]);
});
