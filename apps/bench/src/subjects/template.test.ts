import { expect, test } from 'vitest';
import { fill } from './template.ts';

const place = { folder: '/tmp/x', port: 1, appPort: 2, host: 'app.test', certFile: '/c', keyFile: '/k' };

test('fills in what is known, wherever it stands', () => {
  expect(fill('listen @host@:@port@ -> @appPort@ @port@', place)).toBe('listen app.test:1 -> 2 1');
});

test('a name that nobody knows is a mistake', () => {
  expect(() => fill('@where@', place)).toThrow('a configuration names @where@');
});
