// Redraws the last lines of a terminal in place while other output scrolls above them.
import type { Clock } from '@capi-serverless/apimachinery';
import type { OutputTerminal } from './terminal.ts';
import { widthOf } from './text.ts';

interface LiveOptions {
  readonly terminal: OutputTerminal;
  readonly clock: Clock;
  /** The lines to draw, within the given width and height. */
  readonly draw: (size: { readonly width: number; readonly height: number }) => readonly string[];
}

export interface Live {
  /** Prints permanent text above the redrawn lines. */
  print(text: string): void;
  /** Requests a redraw. */
  refresh(): void;
  /** Draws a last time. The lines stay, and later output is printed below them. */
  close(): void;
}

/** The minimum time between two frames: at most ten frames per second. */
const frameMs = 100;
// https://www.ecma-international.org/publications-and-standards/standards/ecma-48/
const colors = new RegExp(`${String.fromCodePoint(27)}\\[\\d+m`, 'g');
const toEndOfScreen = '\x1b[J';
const hideCursor = '\x1b[?25l';
const showCursor = '\x1b[?25h';

/** The cursor is hidden only while a frame is drawn, so that it is visible after the process ends in any way. */
export function createLive({ terminal, clock, draw }: LiveOptions): Live {
  const closed = new AbortController();
  let printed = '';
  let drawn: readonly string[] = [];
  let drawnAt = Number.NEGATIVE_INFINITY;
  let isDue = false;
  const drawFrame = (): void => {
    const columns = terminal.columns();
    const above = `${toTop(drawn, columns)}${toEndOfScreen}${printed}`;
    // The last column and line stay empty, because terminals differ in when they wrap and scroll.
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

/** Moves to the first line. A terminal that became narrower has wrapped the lines. */
function toTop(lines: readonly string[], columns: number): string {
  const rows = lines.map(line => Math.max(1, Math.ceil(widthOf(line.replaceAll(colors, '')) / columns)));
  const height = rows.reduce((sum, count) => sum + count, 0);
  return height === 0 ? '\r' : `\r\x1b[${height}A`;
}
