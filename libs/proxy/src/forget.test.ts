import { once } from 'node:events';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { forget } from './forget.ts';

test('all who wait for the close are called, whoever forgets first; nobody listens after it, and a late error harms nobody', async () => {
  const socket = new Socket();
  const called: string[] = [];
  socket.on('data', () => called.push('data'));
  socket.on('close', () => forget(socket));
  socket.once('close', () => called.push('once'));
  socket.on('close', () => called.push('on'));
  const closed = once(socket, 'close');
  socket.destroy();
  await closed;
  expect(called).toEqual(['once', 'on']);
  expect(socket.eventNames()).toEqual(['error']);
  expect(() => socket.emit('error', new Error('late'))).not.toThrow();
});
