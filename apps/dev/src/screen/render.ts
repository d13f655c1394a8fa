import { type Line, lineWidth, paint, piece, spread, type Tone } from './line.ts';
import type { KeyHint, PartRow, ScreenModel, ServiceRow, ServiceState } from './model.ts';
import { clean, widthOf, wrap } from './text.ts';

export interface Look {
  readonly columns: number;
  readonly color: boolean;
  /** The height of the terminal. What does not fit is counted, not shown: a view that scrolls cannot be redrawn. */
  readonly rows?: number;
}

const INDENT = 2;
const COLUMNS_MIN = 20;
const KEYS: readonly KeyHint[] = [{ key: 'Ctrl-C', does: 'ends' }];

/** The whole view, each line no wider than `columns`. */
export function render(model: ScreenModel, { columns, color, rows = Number.POSITIVE_INFINITY }: Look): string[] {
  const room = Math.max(columns, COLUMNS_MIN) - INDENT;
  const head = [heading(model.parts ?? [], room), []];
  const blocks = layOut(model.services, room);
  const foot = [...model.notes.flatMap((note) => noteLines(note, room)), keyLine(model.keys ?? KEYS)];
  const lines = [...head, ...fitting(blocks, rows - 1 - head.length - foot.length), ...foot];
  return lines
    .slice(0, Math.max(1, rows - 1))
    .map((line) => paint(line.length === 0 ? line : [piece(' '.repeat(INDENT)), ...line], { columns, color }));
}

function heading(parts: readonly PartRow[], room: number): Line {
  const title = [piece('Sallyport', 'strong')];
  if (parts.length === 0) return title;
  const told = parts.flatMap((part, i) => [
    ...(i === 0 ? [] : [piece(' · ', 'soft')]),
    piece(part.name, 'soft'),
    piece(` ${part.state}`, PART_TONE[part.state]),
    ...(part.detail === undefined ? [] : [piece(` (${part.detail})`, 'soft')]),
  ]);
  const whole = spread(title, told, room);
  if (whole.length > title.length) return whole;
  // Too narrow for all: those in trouble, or that there are none.
  const troubled = parts.filter(({ state }) => state !== 'ready');
  const [first] = troubled;
  if (first === undefined) return spread(title, [piece('all ready', 'good')], room);
  const more = troubled.length > 1 ? ` +${troubled.length - 1}` : '';
  return spread(title, [piece(`${first.name} ${first.state}${more}`, PART_TONE[first.state])], room);
}

/** The widest form in which every service fits: a table, two lines each, or stacked. */
function layOut(services: readonly ServiceRow[], room: number): Line[][] {
  if (services.length === 0) return [[[piece('No service is declared.', 'soft')], []]];
  const nameWidth = Math.max(...services.map(({ name }) => widthOf(clean(name))));
  const urlWidth = Math.max(...services.map(({ url }) => widthOf(clean(url))));
  const stateWidth = Math.max(...services.map(({ state }) => state.length));
  const wide = services.map((service) => wideRow(service, stateWidth, nameWidth, urlWidth));
  const fits = wide.every((row) => lineWidth(row) <= room);
  return services.map((service, i) => [
    ...(fits ? [wide[i] as Line] : narrowRows(service, stateWidth, room)),
    ...troubleLines(service, room),
    ...(fits && i < services.length - 1 && service.lastError === undefined ? [] : [[]]),
  ]);
}

const wideRow = (service: ServiceRow, stateWidth: number, nameWidth: number, urlWidth: number): Line => [
  ...stateOf(service, stateWidth),
  piece('  '),
  piece(padded(service.name, nameWidth), 'strong'),
  piece('  '),
  piece(padded(service.url, urlWidth), 'link'),
  piece(` → ${service.target}  `, 'soft'),
  ...countsOf(service),
];

function narrowRows(service: ServiceRow, stateWidth: number, room: number): Line[] {
  const name: Line = [...stateOf(service, stateWidth), piece('  '), piece(service.name, 'strong')];
  const counts = countsOf(service);
  const first = spread(name, counts, room);
  const target = piece(` → ${service.target}`, 'soft');
  const url: Line = [piece('  '), piece(service.url, 'link'), target];
  const rows = lineWidth(url) <= room ? [url] : stackedUrl(service, room);
  return first.length > name.length ? [first, ...rows] : [name, ...rows, [piece('  '), ...counts]];
}

/** Broken and never cut: a URL that lacks its end is worth nothing. */
const stackedUrl = ({ url, target }: ServiceRow, room: number): Line[] => [
  ...wrap(clean(url), room - 2).map((part): Line => [piece('  '), piece(part, 'link')]),
  [piece(`  → ${target}`, 'soft')],
];

function troubleLines({ state, detail, lastError }: ServiceRow, room: number): Line[] {
  const lines: Line[] = [];
  const tell = (text: string, tone: Tone): void => {
    for (const row of text.split('\n'))
      for (const part of wrap(clean(row), room - 2)) lines.push([piece('  '), piece(part, tone)]);
  };
  if (detail !== undefined && state !== 'serving' && detail !== lastError?.reason) tell(detail, STATE[state].tone);
  if (lastError === undefined) return lines;
  tell(`last error: ${lastError.code}, ${lastError.reason}`, 'bad');
  if (lastError.hint !== undefined) tell(lastError.hint, 'plain');
  return lines;
}

const noteLines = (note: string, room: number): Line[] => wrap(clean(note), room).map((part) => [piece(part, 'soft')]);

const keyLine = (keys: readonly KeyHint[]): Line =>
  keys.flatMap(({ key, does }, i) => [piece(`${i === 0 ? '' : '   '}${key}`, 'strong'), piece(` ${does}`, 'soft')]);

/** Whole services only, and how many are left out. */
function fitting(blocks: readonly Line[][], room: number): Line[] {
  const total = blocks.reduce((sum, block) => sum + block.length, 0);
  if (total <= room) return blocks.flat();
  const shown: Line[] = [];
  let count = 0;
  // One line is for saying what is missing.
  while (count < blocks.length && shown.length + (blocks[count] as Line[]).length <= room - 1) {
    shown.push(...(blocks[count] as Line[]));
    count += 1;
  }
  const left = blocks.length - count;
  return [...shown, [piece(`${left} more: make the window higher, or ask sallyport service list`, 'soft')]];
}

const countsOf = ({ requestCount, liveStreamCount }: ServiceRow): Line => [
  piece(`${requestCount.toLocaleString('en')} ${requestCount === 1 ? 'request' : 'requests'}`, 'soft'),
  piece(' · ', 'soft'),
  piece(`${liveStreamCount.toLocaleString('en')} live`, liveStreamCount > 0 ? 'good' : 'soft'),
];

/** The word is what tells; mark and colour make it quick to find. */
const STATE: Readonly<Record<ServiceState, { readonly mark: string; readonly tone: Tone }>> = {
  starting: { mark: '○', tone: 'wait' },
  serving: { mark: '●', tone: 'good' },
  withdrawn: { mark: '○', tone: 'soft' },
  rejected: { mark: '×', tone: 'bad' },
  unreachable: { mark: '×', tone: 'bad' },
  'not fresh': { mark: '○', tone: 'wait' },
};
const PART_TONE: Readonly<Record<PartRow['state'], Tone>> = {
  starting: 'wait',
  ready: 'good',
  'not ready': 'wait',
  ended: 'bad',
};

const stateOf = ({ state }: ServiceRow, width: number): Line => [
  piece(`${STATE[state].mark} ${state.padEnd(width)}`, STATE[state].tone),
];

const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(clean(text))));
