import { HOST } from '../stage/stage.ts';
import { badBody, forwarded, framed, HIDDEN, hex } from './makers.ts';
import type { Row } from './row.ts';

const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const chunked = (body: string, fields = ''): string => framed(fields + CHUNKED, body);
const BEHIND = `\r\n\r\n${HIDDEN}0\r\n\r\n`;

/** Second half of the section on request framing: what stands inside a chunked body. */
export const requestChunks: readonly Row[] = [
  badBody('frm-38', 'chunk size `0x5`', chunked('0x5\r\nhello\r\n0\r\n\r\n')),
  badBody('frm-40', 'chunk size `+5`', chunked('+5\r\nhello\r\n0\r\n\r\n')),
  badBody('frm-41', 'chunk size `0_2e` in front of a request', chunked(`0_2e${BEHIND}`)),
  badBody('frm-43', 'blanks before the chunk size', chunked(`5\r\nhello\r\n    0\r\n\r\n${HIDDEN}`)),
  badBody('frm-44', 'an empty chunk size', chunked('\r\n\r\n')),
  badBody('frm-45', 'a blank after the chunk size: 400', chunked('5 \r\nhello\r\n0\r\n\r\n')),
  badBody('frm-46', 'a chunk size of 17 hexadecimal digits', chunked('FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n')),
  badBody('frm-48', 'CR inside the blanks before a chunk extension', chunked(`2\r\r;a\r\n02\r\n41\r\n0${BEHIND}`)),
  badBody('frm-51', 'bare LF after chunk data', chunked('5\r\nhello\n0\r\n\r\n')),
  badBody('frm-52', 'bare LF after the chunk size', chunked('5\nhello\r\n0\r\n\r\n')),
  badBody('frm-53', 'more data than the chunk size says', chunked('3\r\nhello\r\n0\r\n\r\n')),
  badBody('frm-55', 'an invalid chunk with a request behind it', chunked(`INVALID!!!\r\n${HIDDEN}`)),
  badBody('frm-56', 'an empty line before the last chunk', chunked(`${hex(HIDDEN)}\r\n${HIDDEN}\r\n\r\n0\r\n\r\n`)),
  forwarded(
    'frm-57',
    'a field line that reads like a request in the trailer section: forwarded as the field it is',
    chunked('5\r\nhello\r\n0\r\nX: POST / HTTP/1.1\r\n\r\n'),
    { body: 'hello' },
  ),
  forwarded(
    'frm-59',
    'framing fields in the trailer section do not become framing',
    chunked(`5\r\nhello\r\n0\r\nContent-Length: 66\r\nTransfer-Encoding: chunked\r\nHost: other.example\r\n\r\n`),
    { body: 'hello', lacks: ['content-length'], has: [['Host', HOST]] },
  ),

  // Neighbours
  badBody('frm-n40', 'less data than the chunk size says', chunked('6\r\nhello\r\n0\r\n\r\n')),
  badBody('frm-n41', 'chunk size `-1`', chunked(`-1${BEHIND}`)),
  badBody('frm-n42', 'a blank before the first chunk size', chunked(' 5\r\nhello\r\n0\r\n\r\n')),
  badBody('frm-n43', 'a tab after the chunk size', chunked('5\t\r\nhello\r\n0\r\n\r\n')),
  badBody('frm-n44', 'byte 00 after the chunk size', chunked('5\x00\r\nhello\r\n0\r\n\r\n')),
  badBody('frm-n45', 'a chunk size of 2^53', chunked('20000000000000\r\nhello\r\n0\r\n\r\n')),
  badBody('frm-n46', 'a bare LF inside a chunk extension', chunked(`5;a\nb\r\nhello\r\n0\r\n\r\n`)),
  badBody('frm-n47', 'a CR inside a chunk extension', chunked(`5;a\rb\r\nhello\r\n0\r\n\r\n`)),
  badBody('frm-n48', 'a control byte in a chunk extension', chunked('5;a=\x01\r\nhello\r\n0\r\n\r\n')),
  badBody('frm-n49', 'a chunk extension of 100,000 bytes', chunked(`5;${'a'.repeat(100_000)}\r\nhello\r\n0\r\n\r\n`), {
    ways: ['whole', 'second'],
  }),
  badBody('frm-n50', 'a quoted CR LF in a chunk extension ends the line all the same', chunked(`5;a="\r\n0${BEHIND}`)),
  badBody('frm-n51', 'CR CR LF after the chunk size', chunked('5\r\r\nhello\r\n0\r\n\r\n')),
  badBody('frm-n52', 'LF CR after chunk data', chunked('5\r\nhello\n\r0\r\n\r\n')),
  badBody('frm-n53', 'CR and another byte after chunk data', chunked('5\r\nhello\rX0\r\n\r\n')),
  badBody('frm-n54', 'bare LF after the last chunk', chunked(`0\n\r\n${HIDDEN}`)),
  badBody('frm-n55', 'bare LF at the end of the trailer section', chunked(`0\r\n\n${HIDDEN}`)),
  badBody('frm-n56', 'a bare LF between two trailers', chunked('0\r\nA: 1\nB: 2\r\n\r\n')),
  badBody('frm-n57', 'a trailer without a colon', chunked('0\r\nnonsense\r\n\r\n')),
  badBody('frm-n58', 'a blank before the colon of a trailer', chunked('0\r\nX-A : 1\r\n\r\n')),
  badBody('frm-n59', 'a folded trailer', chunked('0\r\nX-A: 1\r\n 2\r\n\r\n')),
  badBody('frm-n60', 'a control byte in a trailer', chunked('0\r\nX-A: \x07\r\n\r\n')),
  badBody('frm-n61', 'a trailer section of 100,000 bytes', chunked(`0\r\n${`X-A: ${'a'.repeat(1_000)}\r\n`.repeat(100)}\r\n`), {
    ways: ['whole', 'second'],
  }),
  badBody('frm-n62', 'a chunk size in full-width digits, as UTF-8', chunked('\xef\xbc\x95\r\nhello\r\n0\r\n\r\n')),
  badBody('frm-n63', 'a chunk size of the letter G', chunked('G\r\nhello\r\n0\r\n\r\n')),
  badBody('frm-n64', 'an extension without a size', chunked(';a=1\r\nhello\r\n0\r\n\r\n')),
  forwarded('frm-n65', 'a chunk size of 14 digits, most of them zeros', chunked('00000000000005\r\nhello\r\n0\r\n\r\n'), {
    body: 'hello',
  }),
  forwarded(
    'frm-n66',
    'extensions of every form, none is passed on',
    chunked('5;a\r\nhello\r\n1;b=c;d="e;f"\r\n!\r\n0;last=1\r\n\r\n'),
    { body: 'hello!' },
  ),
  forwarded('frm-n67', 'a chunk of one byte each', chunked(`${'hello world'.replaceAll(/./g, '1\r\n$&\r\n')}0\r\n\r\n`), {
    body: 'hello world',
  }),
  forwarded('frm-n68', 'chunk data that looks like the end of a body', chunked('5\r\n0\r\n\r\n\r\n0\r\n\r\n'), {
    body: '0\r\n\r\n',
  }),
];
