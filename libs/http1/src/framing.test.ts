import { expect, test } from 'vitest';
import { kindOf } from './field-kind.ts';
import { type Carrier, frame } from './framing.ts';

function framed(carrier: Carrier, minor: 0 | 1, ...lines: string[]): string {
  const pairs = lines.map((line) => line.split(': '));
  const kinds = pairs.map(([name = '']) => kindOf(name));
  const result = frame(
    pairs.flat(),
    kinds,
    kinds.reduce((seen: number, kind) => seen | (1 << kind), 0),
    minor,
    carrier,
  );
  return 'code' in result ? result.code : result.length === -1 ? result.framing : `${result.framing} ${result.length}`;
}

const CL = 'Content-Length: ';
const TE = 'Transfer-Encoding: ';
const rows: [title: string, got: string, want: string][] = [
  ['a request without fields has no body', framed('request', 1), 'none'],
  ['an answer without fields lasts until close', framed('response', 1), 'until-close'],
  ['an answer to HEAD has no body', framed('response-without-body', 1), 'none'],
  ['an answer to HEAD may tell a length', framed('response-without-body', 1, `${CL}12345`), 'none 12345'],
  ['a 304 that says chunked has no body', framed('response-without-body', 1, `${TE}chunked`), 'none'],
  ['chunked', framed('request', 1, `${TE}chunked`), 'chunked'],
  ['chunked in any case', framed('request', 1, `${TE}Chunked`), 'chunked'],
  ['a length', framed('response', 0, `${CL}5`), 'length 5'],
  ['a length with zeros before it', framed('request', 1, `${CL}0005`), 'length 5'],
  ['the largest safe length', framed('request', 1, `${CL}9007199254740991`), 'length 9007199254740991'],

  ['both', framed('request', 1, `${CL}5`, `${TE}chunked`), 'bad_request'],
  ['both, without a body', framed('response-without-body', 1, `${CL}5`, `${TE}chunked`), 'bad_request'],
  ['both, in the other order', framed('request', 1, `${TE}chunked`, `${CL}0`), 'bad_request'],
  ['Transfer-Encoding in HTTP/1.0', framed('request', 0, `${TE}chunked`), 'bad_request'],
  ['Transfer-Encoding twice', framed('request', 1, `${TE}chunked`, `${TE}chunked`), 'bad_request'],
  ['a leading comma', framed('request', 1, `${TE},chunked`), 'bad_request'],
  ['a trailing comma', framed('request', 1, `${TE}chunked,`), 'bad_request'],
  ['no-break spaces', framed('request', 1, `${TE}\xa0chunked\xa0`), 'bad_request'],
  ['quotes', framed('request', 1, `${TE}"chunked"`), 'bad_request'],
  ['a parameter', framed('request', 1, `${TE}chunked;a=b`), 'bad_request'],
  ['an empty coding', framed('request', 1, TE), 'bad_request'],
  ['gzip, chunked', framed('request', 1, `${TE}gzip, chunked`), 'coding_refused'],
  ['chunked, gzip', framed('request', 1, `${TE}chunked, gzip`), 'coding_refused'],
  ['chunked, chunked', framed('response', 1, `${TE}chunked, chunked`), 'coding_refused'],
  ['an unknown coding', framed('request', 1, `${TE}xchunked`), 'coding_refused'],
  ['identity', framed('request', 1, `${TE}identity`), 'coding_refused'],
  ['two different lengths', framed('request', 1, `${CL}0`, `${CL}66`), 'bad_request'],
  ['the same length twice', framed('request', 1, `${CL}5`, `${CL}5`), 'bad_request'],
  ['a list of lengths', framed('request', 1, `${CL}5, 5`), 'bad_request'],
  ['an empty length', framed('request', 1, CL), 'bad_request'],
  ['an empty length and a real one', framed('request', 1, CL, `${CL}5`), 'bad_request'],
  ['a plus', framed('request', 1, `${CL}+5`), 'bad_request'],
  ['a minus', framed('request', 1, `${CL}-48`), 'bad_request'],
  ['hexadecimal', framed('request', 1, `${CL}0x10`), 'bad_request'],
  ['letters behind', framed('request', 1, `${CL}1Z`), 'bad_request'],
  ['a fraction', framed('request', 1, `${CL}1.0`), 'bad_request'],
  ['an exponent', framed('request', 1, `${CL}1e3`), 'bad_request'],
  ['a blank between digits', framed('request', 1, `${CL}1 0`), 'bad_request'],
  ['2^53', framed('request', 1, `${CL}9007199254740992`), 'bad_request'],
  ['just above 2^64', framed('request', 1, `${CL}18446744073709551621`), 'bad_request'],
];
test.each(rows)('%s', (_title, got, want) => expect(got).toBe(want));
