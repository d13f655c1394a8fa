import type { Mutation } from './mutation.ts';

const METHODS = [
  'get',
  'Get',
  'FOO',
  'M-SEARCH',
  'PROPFIND',
  'TRACE',
  "G!#$%&'*+-.^_`|~1",
  'G ET',
  'G\tET',
  'G(T',
  'G\x00T',
  '',
  'G\x80T',
  'PRI',
  'GET,',
  'CONNECT',
];
const VERSIONS = [
  ...['HTTP/1.0', 'HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.10', 'HTTP/01.1', 'HTTP/1.1 ', 'http/1.1', 'HTTP/1,1'],
  ...['HTTP/1', 'HTTP/1.', 'HTTP/+1.1', 'HTTPS/1.1', 'HTTP/1.1x', 'ICAP/1.0', '', 'HTTP /1.1', 'HTTP/ 1.1', 'HTTP/1.1\t'],
];
const BLANKS = ['', '  ', '\t', ' \t', '\x0b', '\x0c', '\r', '\n', '\xa0', ' /x '];
const TARGETS = [
  ...[
    '*',
    '',
    'x',
    'x/y',
    '//',
    '//other.test/a',
    '/../..',
    '/./a/../b',
    '/%00',
    '/%',
    '/%zz',
    '/%2e%2e/',
    '/a%0d%0ab',
    '/#frag',
    '/a#',
  ],
  ...[
    '/a b',
    '/a\tb',
    '/a\x00b',
    '/a\x01b',
    '/a\x7fb',
    '/\x80\xff',
    '/caf\xc3\xa9',
    '/"',
    '/<>',
    '/{}|^`\\',
    '\\x',
    '/\\..\\',
    '?q',
    '/?a?b',
    '/;x',
  ],
  ...[
    'http:/a',
    'http://',
    'http:///a',
    'mailto:a@b',
    'urn:x',
    'other.test:443',
    'http',
    '/a\rb',
    '/a\nb',
    `/${'a'.repeat(300)}`,
    `/${'b'.repeat(9_000)}`,
  ],
];

export const firstLineMutations: Readonly<Record<string, Mutation>> = {
  method: (draft, random) => {
    draft.method = random.pick(METHODS);
  },
  version: (draft, random) => {
    draft.version = random.pick(VERSIONS);
  },
  blank: (draft, random) => {
    draft[random.pick(['blank', 'secondBlank'])] = random.pick(BLANKS);
  },
  target: (draft, random) => {
    draft.target = random.pick(TARGETS);
  },
  'absolute-form': (draft, random, host) => {
    const authority = random.pick([
      host,
      host,
      host,
      `${host}:443`,
      `${host}.`,
      host.toUpperCase(),
      'other.test',
      'other.test:443',
      `${host}.other.test`,
      `other.${host}`,
      `u@${host}`,
      `${host}@other.test`,
      `${host}:99999`,
      `other.test\\@${host}`,
      '',
    ]);
    const scheme = random.pick(['http', 'http', 'https', 'https', 'https', 'HTTPS', 'ftp', 'ws', 'http:', 'h ttp']);
    draft.target = `${scheme}://${authority}${random.pick([draft.target, draft.target, '', '?a=b', '#x', '/'])}`;
  },
  'options-star': (draft, random) => {
    draft.method = random.pick(['OPTIONS', 'OPTIONS', 'GET', 'options']);
    draft.target = '*';
  },
  'before-first-line': (draft, random) => {
    draft.before = random.pick([
      '\r\n',
      '\r\n',
      '\r\n\r\n',
      '\r\n\r\n\r\n',
      '\n',
      '\r',
      '\r\r\n',
      ' ',
      '\t',
      '\x00',
      '\xef\xbb\xbf',
      '\r\n ',
      'x\r\n',
      '\r\n\n',
    ]);
  },
  'first-line-end': (draft, random) => {
    draft.eol = random.pick(['\n', '\r', '\r\r\n', '\n\r', ' \r\n', '\r\n\r\n', '', '\r\n ', '\r\n\t', '\x00\r\n', '\r\n:\r\n']);
  },
};
