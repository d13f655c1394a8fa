import { expect, test } from 'vitest';
import { clientFrame } from '../testing/socket-client.ts';
import { OPCODE } from './frame.ts';
import { createMessageReader, type Incoming } from './message-reader.ts';

const MESSAGE_BYTES_MAX = 300;
const { text, binary, continuation, close, ping, pong } = OPCODE;
const part = { final: false };

function readAll(bytes: Buffer, step = bytes.length) {
  const heard: Incoming[] = [];
  const reader = createMessageReader(MESSAGE_BYTES_MAX, (incoming) => heard.push(incoming));
  for (let at = 0; at < bytes.length; at += step) {
    const violation = reader.read(bytes.subarray(at, at + step));
    if (violation !== undefined) return { heard, violation };
  }
  return { heard, violation: undefined };
}

function show(incoming: Incoming): string {
  switch (incoming.kind) {
    case 'message':
      return `${incoming.opcode === text ? 'text' : 'binary'} ${incoming.payload.toString()}`;
    case 'ping':
      return `ping ${incoming.payload.toString()}`;
    case 'pong':
      return 'pong';
    case 'close':
      return `close ${incoming.code}`;
  }
}

const shown = ({ heard }: { heard: Incoming[] }): string[] => heard.map(show);

const legal: [title: string, frames: Buffer[], want: string[]][] = [
  ['one text', [clientFrame(text, 'hello')], ['text hello']],
  ['an empty text', [clientFrame(text, '')], ['text ']],
  ['binary that is no UTF-8', [clientFrame(binary, Buffer.from([0xff]))], [`binary ${Buffer.from([0xff]).toString()}`]],
  ['two in one read', [clientFrame(text, 'a'), clientFrame(text, 'b')], ['text a', 'text b']],
  ['fragments', [clientFrame(text, 'he', part), clientFrame(continuation, 'llo')], ['text hello']],
  [
    'a ping between fragments',
    [clientFrame(text, 'he', part), clientFrame(ping, '?'), clientFrame(continuation, 'llo')],
    ['ping ?', 'text hello'],
  ],
  [
    'a character across two fragments',
    [clientFrame(text, Buffer.from([0xc3]), part), clientFrame(continuation, Buffer.from([0xa9]))],
    ['text é'],
  ],
  [
    'empty fragments',
    [clientFrame(text, '', part), clientFrame(continuation, '', part), clientFrame(continuation, '')],
    ['text '],
  ],
  ['a length in two bytes', [clientFrame(text, 'x'.repeat(200))], [`text ${'x'.repeat(200)}`]],
  ['a whole message at the limit', [clientFrame(text, 'x'.repeat(300))], [`text ${'x'.repeat(300)}`]],
  ['an unasked pong', [clientFrame(pong, '')], ['pong']],
  ['a close without a code', [clientFrame(close, '')], ['close undefined']],
  ['a close of the application', [clientFrame(close, Buffer.from([0x0f, 0xa0]))], ['close 4000']],
];

test.each(legal)('takes %s, in one read and byte by byte', (_title, frames, want) => {
  expect(shown(readAll(Buffer.concat(frames)))).toEqual(want);
  expect(shown(readAll(Buffer.concat(frames), 1))).toEqual(want);
});

const illegal: [title: string, frames: Buffer[], code: number][] = [
  ['a frame without a mask', [clientFrame(text, 'a', { masked: false })], 1002],
  ['a reserved bit', [clientFrame(text, 'a', { reserved: 4 })], 1002],
  ['an operation that does not exist', [clientFrame(0x3, 'a')], 1002],
  ['a control operation that does not exist', [clientFrame(0xb, '')], 1002],
  ['a ping in fragments', [clientFrame(ping, '', part)], 1002],
  ['a ping of 126 bytes', [clientFrame(ping, 'x'.repeat(126))], 1002],
  ['a length of two bytes for five', [clientFrame(text, 'hello', { length: 2 })], 1002],
  ['a length of eight bytes for 200', [clientFrame(text, 'x'.repeat(200), { length: 8 })], 1002],
  ['a continuation of nothing', [clientFrame(continuation, 'a')], 1002],
  ['a message inside another', [clientFrame(text, 'a', part), clientFrame(text, 'b')], 1002],
  ['one frame over the limit', [clientFrame(text, 'x'.repeat(301))], 1009],
  ['fragments over the limit', [clientFrame(text, 'x'.repeat(200), part), clientFrame(continuation, 'x'.repeat(101))], 1009],
  ['text that is not UTF-8', [clientFrame(text, Buffer.from([0xc3, 0x28]))], 1007],
  ['a close of one byte', [clientFrame(close, 'a')], 1002],
  ['a close with a code that nobody sends', [clientFrame(close, Buffer.from([0x03, 0xee]))], 1002],
  ['a close whose reason is not UTF-8', [clientFrame(close, Buffer.from([0x03, 0xe8, 0xff]))], 1007],
];

test.each(illegal)('refuses %s', (_title, frames, code) => {
  expect(readAll(Buffer.concat(frames)).violation?.code).toBe(code);
  expect(readAll(Buffer.concat(frames), 1).violation?.code).toBe(code);
});

test('a length beyond all memory is refused by its head alone', () => {
  const head = Buffer.from([0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
  expect(readAll(head).violation?.code).toBe(1009);
});

test('a length of 2^63 or more does not exist', () => {
  const head = Buffer.from([0x82, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  expect(readAll(head).violation?.code).toBe(1002);
});
