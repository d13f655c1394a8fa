/** Which rule looks at a field. Decided once, when the head is read, so that no later rule compares names again. */
export const FIELD = {
  /** End to end and of no interest to us: passes as it is. */
  plain: 0,
  host: 1,
  contentLength: 2,
  transferEncoding: 3,
  connection: 4,
  upgrade: 5,
  te: 6,
  trailer: 7,
  expect: 8,
  /** Keep-Alive, Proxy-Connection and the like: for this connection only, whether Connection names them or not. */
  hopByHop: 9,
  forwardedFor: 10,
  /** Other fields that say where a request came from, in any spelling an application could take for them. */
  forwarded: 11,
  /** `sallyport-…`: ours to set, nobody else's. */
  ours: 12,
  origin: 13,
  accept: 14,
  setCookie: 15,
  webSocketKey: 16,
  webSocketVersion: 17,
} as const;

export type FieldKind = (typeof FIELD)[keyof typeof FIELD];

/** Every name of this list in lower case. Unlisted names are plain unless a prefix below says otherwise. */
const NAMED: Readonly<Record<string, FieldKind>> = {
  host: FIELD.host,
  'content-length': FIELD.contentLength,
  'transfer-encoding': FIELD.transferEncoding,
  connection: FIELD.connection,
  upgrade: FIELD.upgrade,
  te: FIELD.te,
  trailer: FIELD.trailer,
  expect: FIELD.expect,
  'keep-alive': FIELD.hopByHop,
  'proxy-connection': FIELD.hopByHop,
  'proxy-authenticate': FIELD.hopByHop,
  'proxy-authorization': FIELD.hopByHop,
  'http2-settings': FIELD.hopByHop,
  'x-forwarded-for': FIELD.forwardedFor,
  origin: FIELD.origin,
  accept: FIELD.accept,
  'set-cookie': FIELD.setCookie,
  'sec-websocket-key': FIELD.webSocketKey,
  'sec-websocket-version': FIELD.webSocketVersion,
};

/** Plain names that nearly every message has: listed only so that they are found at the first look. */
const USUAL = [
  ...['user-agent', 'accept-encoding', 'accept-language', 'cookie', 'referer', 'cache-control', 'pragma', 'authorization'],
  ...[
    'if-none-match',
    'if-modified-since',
    'content-type',
    'content-encoding',
    'date',
    'server',
    'etag',
    'last-modified',
    'vary',
  ],
  ...['location', 'accept-ranges', 'range', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest', 'sec-fetch-user'],
  ...['sec-ch-ua', 'sec-ch-ua-mobile', 'sec-ch-ua-platform', 'upgrade-insecure-requests', 'priority', 'dnt'],
];

const capitalised = (name: string): string => name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());

/** By name in lower case and in its usual capitals: nearly every field is found without changing its case. */
const KINDS: ReadonlyMap<string, FieldKind> = new Map(
  [...Object.entries(NAMED), ...USUAL.map((name): [string, FieldKind] => [name, FIELD.plain])].flatMap(
    ([name, kind]): [string, FieldKind][] => [
      [name, kind],
      [capitalised(name), kind],
    ],
  ),
);

/** The kind of a field with this name, in any case. */
export function kindOf(name: string): FieldKind {
  const found = KINDS.get(name);
  if (found !== undefined) return found;
  const lower = name.toLowerCase();
  return KINDS.get(lower) ?? kindByPrefix(lower);
}

/**
 * CGI, WSGI and their heirs turn every character that is no letter or digit into `_`, so that `X_Forwarded-For` and
 * `X-Forwarded.For` reach the application's code as if we had set them. All such spellings count as the name itself.
 */
function kindByPrefix(lower: string): FieldKind {
  const first = lower.charCodeAt(0);
  if (first !== 0x66 && first !== 0x73 && first !== 0x78) return FIELD.plain; // f, s, x
  const folded = lower.replace(/[^a-z0-9]/g, '-');
  if (folded.startsWith('x-forwarded-') || folded === 'forwarded' || folded === 'x-real-ip') return FIELD.forwarded;
  if (folded.startsWith('sallyport-')) return FIELD.ours;
  return FIELD.plain;
}

/** For the set of kinds that a head has, as a bit mask: most rules need no more than to know that a field is absent. */
export const bitOf = (kind: FieldKind): number => 1 << kind;
