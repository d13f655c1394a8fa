import { field, fieldNamed, type RequestDraft } from './draft.ts';
import type { Mutation } from './mutation.ts';

function setHost(draft: RequestDraft, value: string): void {
  const host = fieldNamed(draft.fields, 'host');
  if (host !== undefined) host.value = value;
}

export const hostMutations: Readonly<Record<string, Mutation>> = {
  'host-spelling': (draft, random, host) => {
    const spellings = [
      host.toUpperCase(),
      `${host}.`,
      `${host}:443`,
      `${host}:8443`,
      `${host}:0`,
      `${host}:1`,
      ` ${host}`,
      `${host}\t `,
      `${host}.:443`,
    ];
    setHost(draft, random.pick(spellings));
  },
  'host-value': (draft, random, host) => {
    const values = [
      ...[
        '',
        'other.test',
        'localhost',
        '127.0.0.1',
        '[::1]',
        '[::1]:80',
        '[x]',
        `${host}..`,
        `.${host}`,
        `${host}:`,
        `${host}:x`,
        `${host}:65536`,
      ],
      ...[
        `u@${host}`,
        `${host}/`,
        `${host}/a`,
        `${host}?`,
        `${host}#`,
        `${host}, other.test`,
        `${host} other.test`,
        `${host},${host}`,
        `http://${host}`,
      ],
      ...[
        `${host}%00`,
        `${host}\x00`,
        `a_b.${host}`,
        `\x80.test`,
        `*.test`,
        `${host}:443:443`,
        'a'.repeat(64),
        `${'a.'.repeat(130)}test`,
        '$(x)',
        "'",
      ],
    ];
    setHost(draft, random.pick(values));
  },
  'host-missing': (draft) => {
    draft.fields = draft.fields.filter(({ name }) => name.toLowerCase() !== 'host');
  },
  'host-twice': (draft, random, host) => {
    const again = field(random.pick(['Host', 'host', 'HOST']), random.pick([host, 'other.test', '', host.toUpperCase()]));
    draft.fields.splice(random.below(draft.fields.length + 1), 0, again);
  },
  'host-name': (draft, random) => {
    const host = fieldNamed(draft.fields, 'host');
    if (host !== undefined)
      host.name = random.pick(['host', 'HOST', 'hOsT', 'Host ', ' Host', 'Host\t', 'Host_', 'H\x00ost', 'X-Host', 'Hos\xf4']);
  },
  'host-colon': (draft, random) => {
    const host = fieldNamed(draft.fields, 'host');
    if (host !== undefined) host.colon = random.pick([':', ':\t', ':   ', ' : ', '\t:', '', '::', '=', ':\r\n ', ':\x0b']);
  },
};
