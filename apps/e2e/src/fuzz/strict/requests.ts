import { HEAD_BYTES_MAX, HEAD_FIELDS_MAX, type Rule } from '../rules.ts';
import { readBody } from './body.ts';
import { type FieldLine, framingOf, hopeless, isToken, livesOn, membersOf, readFields, splitLines, valuesOf } from './lines.ts';

/** One request as a strict reader sees it. */
export interface ReadRequest {
  readonly method: string;
  /** As it may go on: origin form, or `*`. */
  readonly target: string;
  readonly host: string;
  readonly fields: readonly FieldLine[];
  readonly body: string;
  readonly whole: boolean;
  /** Why it is refused, if it is. */
  readonly rule: Rule | undefined;
  /** Refused because of its head: nothing of it may go on. Else it was refused, if at all, in its body. */
  readonly headRefused: boolean;
  /** An answer to it has no body. */
  readonly asksHead: boolean;
}

export interface Reading {
  readonly requests: readonly ReadRequest[];
  /**
   * How it is after the last byte: between two requests, or in one; or reading stopped before: the last request asked for
   * the end of the connection, or was refused.
   */
  readonly end: 'open' | 'in-head' | 'in-body' | 'closed' | 'refused';
}

/** All requests of one connection, whose server name is `serverName`. */
export function readRequests(bytes: string, serverName: string): Reading {
  const requests: ReadRequest[] = [];
  for (let at = 0; ; ) {
    for (let lines = 0; lines < 2 && bytes.startsWith('\r\n', at); lines++) at += 2;
    if (at === bytes.length) return { requests, end: 'open' };
    const end = bytes.indexOf('\r\n\r\n', at);
    const asksHead = bytes.startsWith('HEAD ', at);
    if (end === -1) {
      const rule = hopeless(bytes.slice(at));
      if (rule === undefined) return { requests, end: 'in-head' };
      requests.push({ ...NOTHING, rule, headRefused: true, asksHead });
      return { requests, end: 'refused' };
    }
    const head = readHead(bytes.slice(at, end + 4), serverName);
    if (typeof head === 'string') {
      requests.push({ ...NOTHING, rule: head, headRefused: true, asksHead });
      return { requests, end: 'refused' };
    }
    const body = readBody(bytes, end + 4, head.framing, false);
    const { method, target, host, fields } = head;
    const wrongInBody = body.state !== 'whole' && body.state !== 'partial' ? body.state : undefined;
    const whole = body.state === 'whole';
    const read = { method, target, host, fields, body: body.text, whole, asksHead };
    requests.push({ ...read, rule: head.rule ?? wrongInBody, headRefused: head.rule !== undefined });
    if (head.rule !== undefined && head.rule !== 'host-mismatch') return { requests, end: 'refused' };
    if (wrongInBody !== undefined) return { requests, end: 'refused' };
    if (!whole) return { requests, end: 'in-body' };
    if (!head.keepAlive) return { requests, end: 'closed' };
    at = body.next;
  }
}

const NOTHING = { method: '', target: '', host: '', fields: [], body: '', whole: false };

const TARGET = /^[!"$-~\x80-\xff]+$/;

interface Head extends Pick<ReadRequest, 'method' | 'target' | 'host' | 'fields' | 'rule'> {
  readonly framing: Exclude<ReturnType<typeof framingOf>, string>;
  readonly keepAlive: boolean;
}

/** A rule by which not even its body's end is known; or the head, with what else may be wrong about it. */
function readHead(head: string, serverName: string): Head | Rule {
  if (head.length > HEAD_BYTES_MAX) return 'size';
  const lines = splitLines(head.slice(0, -4));
  if (typeof lines === 'string') return lines;
  const [first = '', ...rest] = lines;
  const [method = '', target = '', version = '', ...more] = first.split(' ');
  if (!isToken(method) || !TARGET.test(target) || more.length > 0 || !/^HTTP\/\d+\.\d+$/.test(version)) return 'first-line';
  if (version !== 'HTTP/1.0' && version !== 'HTTP/1.1') return 'version';
  const fields = readFields(rest, HEAD_FIELDS_MAX);
  if (typeof fields === 'string') return fields;
  const minor = version === 'HTTP/1.1' ? 1 : 0;
  const framing = framingOf(fields, minor, 'none');
  if (typeof framing === 'string') return framing;
  const asked = readAsked(method, target, fields);
  const rule = typeof asked === 'string' ? asked : wrongUpgrade(method, minor, fields, framing.kind === 'none');
  const known = typeof asked === 'string' ? { target: '', host: '' } : asked;
  const mismatch = known.host === serverName ? undefined : 'host-mismatch';
  return { method, fields, framing, keepAlive: livesOn(minor, fields), ...known, rule: rule ?? mismatch };
}

/** RFC 9110 section 7.2 and RFC 9112 section 3.2: whose resource is meant. */
function readAsked(method: string, target: string, fields: readonly FieldLine[]): { target: string; host: string } | Rule {
  if (method === 'CONNECT') return 'connect';
  const hosts = valuesOf(fields, 'host');
  if (hosts.length !== 1) return 'host-count';
  const host = hostNameOf(hosts[0] ?? '');
  if (host === undefined) return 'host-form';
  if (target.startsWith('/')) return { target, host };
  if (target === '*') return method === 'OPTIONS' ? { target, host } : 'target';
  const scheme = /^https?:\/\//i.exec(target)?.[0];
  if (scheme === undefined) return 'target';
  const rest = target.slice(scheme.length);
  const authority = rest.split(/[/?]/, 1)[0] ?? '';
  if (hostNameOf(authority) !== host) return 'target';
  const path = rest.slice(authority.length);
  if (path === '' && method === 'OPTIONS') return { target: '*', host };
  return { target: path.startsWith('/') ? path : `/${path}`, host };
}

/** Lower case, without port and one trailing dot. */
function hostNameOf(value: string): string | undefined {
  const [, name = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(value) ?? [];
  if (Number(port) > 65_535 || name.length > 256) return undefined;
  if (name.startsWith('[')) return /^\[[0-9a-f:.]+\]$/i.test(name) && name.length <= 255 ? name.toLowerCase() : undefined;
  const labels = name.toLowerCase().replace(/\.$/, '').split('.');
  const host = labels.join('.');
  return host.length <= 255 && labels.every((label) => /^[a-z0-9_-]+$/.test(label)) ? host : undefined;
}

/** RFC 6455 section 4.2.1. Whatever is no handshake at all goes on as a plain request. */
function wrongUpgrade(method: string, minor: number, fields: readonly FieldLine[], bodiless: boolean): Rule | undefined {
  const upgrades = valuesOf(fields, 'upgrade').map((value) => value.toLowerCase());
  const asks = upgrades.length === 1 && upgrades[0] === 'websocket' && membersOf(fields, 'connection').includes('upgrade');
  if (!asks || method !== 'GET' || minor !== 1 || !bodiless) return undefined;
  const keys = valuesOf(fields, 'sec-websocket-key');
  const good = keys.length === 1 && /^[A-Za-z0-9+/]{22}==$/.test(keys[0] ?? '');
  return good && valuesOf(fields, 'sec-websocket-version').length === 1 ? undefined : 'upgrade';
}
