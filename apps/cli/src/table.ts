/** Aligned columns under a heading, for people. Cells are cleaned of control characters: they hold what others wrote. */
export function formatTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heading, ...rows.map((row) => row.map((cell) => (cell === '' ? '-' : clean(cell))))];
  const widths = heading.map((_title, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Names and values, one a line. */
export function formatFacts(facts: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, value]) => `${name.padEnd(width)}  ${value === '' ? '-' : clean(value)}`).join('\n');
}

/** An empty list: all of it, or what of it was asked for; a mistyped name looks the same to the server. */
export const noneOf = (things: 'services' | 'sandboxes', asked: readonly string[], next: string): string =>
  asked.length === 0
    ? `no ${things}${next}`
    : `no ${things} of ${clean(asked.join(', '))}, or you may not see them; without that name all are listed`;

/** A terminal obeys what it is sent: nobody's text may move its cursor or change its title. */
export const clean = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ');

/** Stable JSON: the fields as given, epochs and revisions as text, because numbers of 64 bits do not survive JSON. */
export const formatJson = (value: unknown): string =>
  JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? each.toString() : each), 2);
