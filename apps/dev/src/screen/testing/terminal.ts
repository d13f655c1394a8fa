/** A terminal as far as the screen uses one: lines, a cursor, clearing, scrolling, and wrapping anew when it is resized. */
export interface Terminal {
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
  on(event: 'resize', act: () => void): void;
  off(event: 'resize', act: () => void): void;
  resize(columns: number): void;
  /** All that was ever on it, with what has scrolled away, without empty lines at the end. */
  lines(): string[];
  isCursorShown(): boolean;
  listenerCount(): number;
  /** What was written since `forget`. */
  written(): string;
  forget(): void;
}

const SEQUENCE = /\p{Cc}\[(\??)(\d*)([A-Za-z])|\r|\n|\P{Cc}/gu;

export function createTerminal(size: { readonly columns: number; readonly rows: number }): Terminal {
  let { columns } = size;
  const { rows } = size;
  let lines: string[] = [''];
  let at = { row: 0, column: 0 };
  let isShown = true;
  let written = '';
  const listeners = new Set<() => void>();

  /** The first line that is still in the window: the cursor goes no higher. */
  const top = (): number => Math.max(0, lines.length - rows);

  function move(mode: string, count: number, verb: string): void {
    if (mode === '?') {
      if (count === 25) isShown = verb === 'h';
    } else if (verb === 'A') {
      at = { ...at, row: Math.max(top(), at.row - Math.max(1, count)) };
    } else if (verb === 'K') {
      lines[at.row] = (lines[at.row] ?? '').slice(0, at.column);
    } else if (verb === 'J') {
      lines = [...lines.slice(0, at.row), (lines[at.row] ?? '').slice(0, at.column)];
    } else if (verb !== 'm') {
      throw new Error(`this terminal does not know ${verb}`);
    }
  }

  function put(character: string): void {
    if (at.column === columns) throw new Error(`a line is wider than ${columns} columns: ${lines[at.row]}`);
    const line = (lines[at.row] ?? '').padEnd(at.column);
    lines[at.row] = line.slice(0, at.column) + character + line.slice(at.column + 1);
    at = { ...at, column: at.column + 1 };
  }

  function lineEnd(): void {
    at = { ...at, row: at.row + 1 };
    if (at.row === lines.length) lines.push('');
  }

  return {
    get columns() {
      return columns;
    },
    rows,
    write(text) {
      written += text;
      for (const [all, mode = '', count = '', verb] of text.matchAll(SEQUENCE)) {
        if (verb !== undefined) move(mode, Number(count), verb);
        else if (all === '\r') at = { ...at, column: 0 };
        else if (all === '\n') lineEnd();
        else put(all);
      }
    },
    on: (_event, act) => void listeners.add(act),
    off: (_event, act) => void listeners.delete(act),
    resize(next) {
      columns = next;
      const wrapped = lines.map((line) => line.match(new RegExp(`.{1,${next}}`, 'gu')) ?? ['']);
      at = { row: wrapped.slice(0, at.row).flat().length, column: 0 };
      lines = wrapped.flat();
      for (const act of listeners) act();
    },
    lines() {
      const last = lines.findLastIndex((line) => line !== '');
      return lines.slice(0, last + 1);
    },
    isCursorShown: () => isShown,
    listenerCount: () => listeners.size,
    written: () => written,
    forget() {
      written = '';
    },
  };
}
