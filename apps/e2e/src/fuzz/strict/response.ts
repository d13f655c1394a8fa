import { HEAD_BYTES_MAX, HEAD_FIELDS_MAX, INTERIM_MAX, type Rule } from '../rules.ts';
import { readBody } from './body.ts';
import { type FieldLine, framingOf, hopeless, readFields, splitLines } from './lines.ts';

/** What an application's bytes say in answer to one request. */
export interface ReadResponse {
  /** Of the 1xx answers before. */
  readonly interimCount: number;
  /** Of the final answer; undefined while there is none. */
  readonly status: number | undefined;
  readonly fields: readonly FieldLine[];
  readonly body: string;
  /** Only the end of its connection ends it. */
  readonly untilClose: boolean;
  readonly state: 'whole' | 'partial' | Rule;
  /** Bytes behind it, that nobody asked for. */
  readonly rest: number;
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/;

/** @param ended whether the application has ended its side cleanly behind these bytes */
export function readResponse(bytes: string, isHead: boolean, ended: boolean): ReadResponse {
  let interimCount = 0;
  for (let at = 0; ; ) {
    const nothing = { interimCount, status: undefined, fields: [], body: '', untilClose: false, rest: 0 };
    const end = bytes.indexOf('\r\n\r\n', at);
    // Whatever else it may be, it is no HTTP: said without waiting for more.
    const start = bytes.slice(at, at + 7);
    if (!'HTTP/1.'.startsWith(start)) return { ...nothing, state: 'first-line' };
    if (end === -1) return { ...nothing, state: hopeless(bytes.slice(at)) ?? 'partial' };
    const head = readHead(bytes.slice(at, end + 4), isHead);
    if (typeof head === 'string') return { ...nothing, state: head };
    const { status, fields, framing } = head;
    at = end + 4;
    if (status === 101) return { ...nothing, state: 'upgrade' };
    if (status < 200) {
      if (++interimCount > INTERIM_MAX) return { ...nothing, state: 'size' };
      continue;
    }
    const body = readBody(bytes, at, framing, ended);
    const rest = body.state === 'whole' ? bytes.length - body.next : 0;
    const untilClose = framing.kind === 'until-close';
    return { interimCount, status, fields, body: body.text, untilClose, state: body.state, rest };
  }
}

interface Head {
  readonly status: number;
  readonly fields: readonly FieldLine[];
  readonly framing: Exclude<ReturnType<typeof framingOf>, string>;
}

function readHead(head: string, isHead: boolean): Head | Rule {
  if (head.length > HEAD_BYTES_MAX) return 'size';
  const lines = splitLines(head.slice(0, -4));
  if (typeof lines === 'string') return lines;
  const [, minor, digits] = STATUS_LINE.exec(lines[0] ?? '') ?? [];
  if (minor === undefined) return 'first-line';
  const fields = readFields(lines.slice(1), HEAD_FIELDS_MAX);
  if (typeof fields === 'string') return fields;
  const status = Number(digits);
  const framing = framingOf(fields, Number(minor), 'until-close');
  if (typeof framing === 'string') return framing;
  const bodiless = isHead || status < 200 || status === 204 || status === 304;
  return { status, fields, framing: bodiless ? { kind: 'none' } : framing };
}
