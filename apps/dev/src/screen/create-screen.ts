import { later } from '@sallyport/model';
import type { Cancel, Clock } from '@sallyport/process';
import type { ScreenModel } from './model.ts';
import { createPlainLog } from './plain.ts';
import { erase, HIDE_CURSOR, redraw, SHOW_CURSOR } from './redraw.ts';
import { render } from './render.ts';

export interface Screen {
  update(model: ScreenModel): void;
  /** Puts text that stays above the view, such as lines of a log. Ends with a line end or is given one. */
  above(text: string): void;
  /** Leaves the last view standing and gives the cursor back. */
  close(): void;
}

/** The part of a stream that the screen needs; `process.stdout` is one. */
export interface Out {
  write(text: string): unknown;
  readonly columns?: number;
  readonly rows?: number;
  on?(event: 'resize', act: () => void): unknown;
  off?(event: 'resize', act: () => void): unknown;
}

export interface ScreenOptions {
  readonly out: Out;
  readonly isTerminal: boolean;
  /** Where `out` does not know its own width. */
  readonly columns?: number;
  readonly color: boolean;
  /** Given, a busy service redraws ten times a second at most. */
  readonly clock?: Clock;
}

const COLUMNS_OTHERWISE = 80;
const DRAW_EVERY_MS = 100;

export const createScreen = (options: ScreenOptions): Screen =>
  options.isTerminal ? createLiveScreen(options) : createPlainScreen(options);

function createPlainScreen({ out }: ScreenOptions): Screen {
  const log = createPlainLog();
  return {
    update(model) {
      for (const line of log.update(model)) out.write(`${line}\n`);
    },
    above: (text) => void out.write(ended(text)),
    close() {},
  };
}

function createLiveScreen({ out, columns, color, clock }: ScreenOptions): Screen {
  let model: ScreenModel | undefined;
  let shown: readonly string[] = [];
  let waiting: Cancel | undefined;
  let mayDrawAt = clock?.now();
  let closed = false;

  // A terminal that was never told its size says 0 (a container's, a recorder's).
  const width = (): number => out.columns || columns || COLUMNS_OTHERWISE;
  const height = (): number => out.rows || Number.POSITIVE_INFINITY;

  function draw(): void {
    if (model === undefined) return;
    const next = render(model, { columns: width(), color, rows: height() });
    const moves = redraw(shown, next);
    shown = next;
    if (moves !== '') out.write(moves);
  }

  /** Now, or when the pause since the last drawing is over: the newest model is what counts. */
  function drawSoon(): void {
    if (clock === undefined || mayDrawAt === undefined) {
      draw();
      return;
    }
    if (waiting !== undefined) return;
    const act = (): void => {
      waiting = undefined;
      mayDrawAt = later(clock.now(), DRAW_EVERY_MS);
      draw();
    };
    if (clock.now() >= mayDrawAt) act();
    else waiting = clock.at(mayDrawAt, act);
  }

  function drawAfresh(): void {
    out.write(erase(shown, width()));
    shown = [];
    draw();
  }

  // An ending that nobody planned must not leave a terminal without a cursor.
  const restore = (): void => void out.write(SHOW_CURSOR);
  process.once('exit', restore);
  out.on?.('resize', drawAfresh);
  out.write(HIDE_CURSOR);

  return {
    update(next) {
      if (closed) return;
      model = next;
      drawSoon();
    },
    above(text) {
      if (closed) {
        out.write(ended(text));
        return;
      }
      out.write(`${erase(shown, width())}${ended(text)}`);
      shown = [];
      draw();
    },
    close() {
      if (closed) return;
      closed = true;
      waiting?.();
      draw();
      process.off('exit', restore);
      out.off?.('resize', drawAfresh);
      out.write(SHOW_CURSOR);
    },
  };
}

const ended = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);
