import { beforeEach, describe, expect, it } from 'vitest';
import { createLive, type Live } from '../../../../local/view/live.ts';
import { SteppedClock, settled } from '../../../support/stepped-clock.ts';

const hide = '\x1b[?25l';
const show = '\x1b[?25h';
const clear = '\x1b[J';

let clock: SteppedClock;
let written: string[];
let columns: number;
let lines: readonly string[];
let live: Live;

beforeEach(() => {
  clock = new SteppedClock();
  written = [];
  columns = 21;
  lines = ['one', 'two'];
  const terminal = {
    write: (text: string) => void written.push(text),
    columns: () => columns,
    rows: () => 11,
    color: false,
  };
  live = createLive({
    terminal,
    clock,
    draw: ({ width, height }) => [...lines, `${width}x${height}`],
  });
});

describe('the lines at the end of a terminal', () => {
  it('are drawn within the terminal, one column and one line short', async () => {
    live.refresh();
    await clock.advance(0);
    expect(written).toEqual([`${hide}\r${clear}one\ntwo\n20x10\n${show}`]);
  });

  it('are drawn again in their place', async () => {
    live.refresh();
    await clock.advance(0);
    lines = ['three'];
    live.refresh();
    await clock.advance(100);
    expect(written.at(-1)).toBe(`${hide}\r\x1b[3A${clear}three\n20x10\n${show}`);
  });

  it('are drawn at most ten times a second', async () => {
    for (let step = 0; step < 99; step += 1) {
      live.refresh();
      live.refresh();
      await clock.advance(10);
    }
    expect(written).toHaveLength(10);
  });

  it('are found again where a narrower terminal wrapped them, colours not counted', async () => {
    lines = ['\x1b[31m0123456789\x1b[0m'];
    live.refresh();
    await clock.advance(0);
    columns = 6;
    live.refresh();
    await clock.advance(100);
    expect(written.at(-1)?.startsWith(`${hide}\r\x1b[3A${clear}`)).toBe(true);
  });

  it('keep other text above them, in order', async () => {
    live.print('first\n');
    live.print('second\n');
    await clock.advance(0);
    live.print('third\n');
    await clock.advance(100);
    expect(written).toEqual([
      `${hide}\r${clear}first\nsecond\none\ntwo\n20x10\n${show}`,
      `${hide}\r\x1b[3A${clear}third\none\ntwo\n20x10\n${show}`,
    ]);
  });

  it('stay on the screen when it ends; later output is printed below them', async () => {
    live.refresh();
    await clock.advance(0);
    live.print('late\n');
    lines = ['done'];
    live.close();
    live.close();
    live.refresh();
    live.print('summary\n');
    await clock.advance(1_000);
    await settled();
    expect(written.slice(1)).toEqual([`${hide}\r\x1b[3A${clear}late\ndone\n20x10\n${show}`, 'summary\n']);
    expect(clock.sleepers).toBe(0);
  });
});
