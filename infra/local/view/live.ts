// The last lines of a terminal, drawn again in place while other output scrolls by above them.
import type { Clock } from '../../../shared/kernel/clock.ts';
import type { Terminal } from './terminal.ts';
import { widthOf } from './text.ts';

export interface LiveOptions {
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** The lines to draw now, none wider or more than it is told. */
  readonly draw: (size: { readonly width: number; readonly height: number }) => readonly string[];
}

export interface Live {
  /** Prints text that stays, above the lines that are drawn again. */
  print(text: string): void;
  /** What is drawn has changed. */
  refresh(): void;
  /** Draws a last time and leaves the lines where they are; what is printed later comes below. */
  close(): void;
}

/** Ten frames a second at most. */
const frameMs = 100;
// https://www.ecma-international.org/publications-and-standards/standards/ecma-48/
const colors = new RegExp(`${String.fromCodePoint(27)}\\[\\d+m`, 'g');
const toEndOfScreen = '\x1b[J';
const hideCursor = '\x1b[?25l';
const showCursor = '\x1b[?25h';

/** The cursor is hidden within a frame only, so that it is there however the process ends. */
export function createLive({ terminal, clock, draw }: LiveOptions): Live {
  const closed = new AbortController();
  let printed = '';
  let drawn: readonly string[] = [];
  let drawnAt = Number.NEGATIVE_INFINITY;
  let isDue = false;
  const drawFrame = (): void => {
    const columns = terminal.columns();
    const above = `${toTop(drawn, columns)}${toEndOfScreen}${printed}`;
    // The last column and line stay free: terminals differ in when they wrap and scroll.
    drawn = draw({ width: columns - 1, height: terminal.rows() - 1 });
    drawnAt = clock.now();
    printed = '';
    terminal.write(`${hideCursor}${above}${drawn.map(line => `${line}\n`).join('')}${showCursor}`);
  };
  const drawWhenDue = async (): Promise<void> => {
    await clock.sleep(Math.max(0, drawnAt + frameMs - clock.now()), closed.signal);
    isDue = false;
    if (!closed.signal.aborted) {
      drawFrame();
    }
  };
  const refresh = (): void => {
    if (!isDue && !closed.signal.aborted) {
      isDue = true;
      void drawWhenDue();
    }
  };
  return {
    print(text) {
      if (closed.signal.aborted) {
        terminal.write(text);
      } else {
        printed += text;
        refresh();
      }
    },
    refresh,
    close() {
      if (!closed.signal.aborted) {
        drawFrame();
        closed.abort();
      }
    },
  };
}

/** Back to where the lines begin. A terminal that became narrower has wrapped them. */
function toTop(lines: readonly string[], columns: number): string {
  const rows = lines.map(line => Math.max(1, Math.ceil(widthOf(line.replaceAll(colors, '')) / columns)));
  const height = rows.reduce((sum, count) => sum + count, 0);
  return height === 0 ? '\r' : `\r\x1b[${height}A`;
}
