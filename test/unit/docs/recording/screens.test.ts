import { describe, expect, it } from 'vitest';
import { atMost, thin, toScreens } from '../../../../docs/recording/screens.ts';
import { createLive } from '../../../../local/view/live.ts';

const esc = '\u001b';

describe('the screens of a run', () => {
  it('have the permanent lines, and below them the live lines, which are redrawn', () => {
    const writes = [
      { ms: 0, text: `${esc}[?25l\r${esc}[Jinstalled\n0 Clusters\n${esc}[?25h` },
      { ms: 5, text: `${esc}[?25l\r${esc}[1A${esc}[Jcreated\n… a\n1 Cluster\n${esc}[?25h` },
      { ms: 9, text: `${esc}[?25l\r${esc}[2A${esc}[J${esc}[32m✓${esc}[0m a\n1 Cluster\n${esc}[?25h` },
    ];
    expect(toScreens(writes, 10)).toEqual([
      { ms: 0, lines: ['installed', '0 Clusters'] },
      { ms: 5, lines: ['installed', 'created', '… a', '1 Cluster'] },
      { ms: 9, lines: ['installed', 'created', `${esc}[32m✓${esc}[0m a`, '1 Cluster'] },
    ]);
  });

  it('have the last rows of the output', () => {
    expect(toScreens([{ ms: 0, text: `a\nb\nc\n${esc}[?25h` }], 2)).toEqual([{ ms: 0, lines: ['b', 'c'] }]);
  });

  it('are complete frames, however the output was split into writes', () => {
    const writes = [
      { ms: 1, text: 'a\n' },
      { ms: 2, text: `b\n${esc}[?25h${esc}[?25l\r${esc}[2A${esc}[Jc\n${esc}[?25hd` },
    ];
    expect(toScreens(writes, 9)).toEqual([
      { ms: 2, lines: ['a', 'b'] },
      { ms: 2, lines: ['c'] },
    ]);
  });

  it('are those that the live view draws', async () => {
    const writes: { ms: number; text: string }[] = [];
    let board = ['one', 'two'];
    const live = createLive({
      terminal: { write: text => writes.push({ ms: 0, text }), columns: () => 40, rows: () => 10, color: false },
      clock: { now: () => 0, sleep: async () => undefined },
      draw: () => board,
    });
    live.print('kept\n');
    await new Promise(setImmediate);
    board = ['three'];
    live.close();
    expect(toScreens(writes, 9).map(({ lines }) => lines)).toEqual([
      ['kept', 'one', 'two'],
      ['kept', 'three'],
    ]);
  });
});

describe('a thinned recording', () => {
  const screens = [0, 100, 900, 2100, 2200, 9000].map((ms, at) => ({ ms, lines: [`line ${at === 4 ? 3 : at}`] }));

  it('keeps the last screen of each period, and the last of all', () => {
    const kept = thin(screens, { everyMs: 1000, longestMs: 60_000 });
    expect(kept.map(({ lines }) => lines[0])).toEqual(['line 2', 'line 3', 'line 5']);
  });

  it('begins at 0 and shortens long pauses', () => {
    const kept = thin(screens, { everyMs: 1000, longestMs: 1500 });
    expect(kept.map(({ ms }) => ms)).toEqual([0, 1200, 2700]);
  });
});

describe('the number of screens', () => {
  const screens = Array.from({ length: 20 }, (_, at) => ({ ms: at * 10, lines: [`${at}`] }));

  it('is limited: the first screens and the last one are kept, without longer gaps', () => {
    const kept = atMost(screens, 6);
    expect(kept.map(({ lines: [line] }) => line)).toEqual(['0', '1', '2', '7', '13', '19']);
    expect(kept.map(({ ms }) => ms)).toEqual([0, 10, 20, 30, 40, 50]);
  });

  it('is unchanged within the limit', () => {
    expect(atMost(screens, 20)).toEqual(screens);
  });
});
