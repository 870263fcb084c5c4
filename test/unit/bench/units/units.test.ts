import { expect, it } from 'vitest';
import { type MeasuredRow, type SpentRow, toRows } from '../../../../bench/units/units.ts';

const aRow = (shown: string, figures: Partial<MeasuredRow> = {}): MeasuredRow => ({
  engine: 'template',
  of: shown,
  shown,
  input: 'ascii',
  nanoseconds: 2,
  bytes: 1,
  units: 1000,
  ...figures,
});

it('shows the medians, and the rows above a limit, the worst first', () => {
  const usual = Array.from({ length: 9 }, (_, at) => aRow(`usual${at}`));
  const slow = [aRow('slow', { nanoseconds: 21 }), aRow('slower', { nanoseconds: 150 })];
  const rows = toRows({ rows: [...usual, ...slow, aRow('large', { bytes: 65 })], spent: [], reading: 0.5 });
  expect(rows.map(({ figure, values }) => [figure, ...values])).toEqual([
    ['rows', 12, null],
    ['time of a unit, median', 2, 0.5],
    ['allocated for a unit, median', 1, null],
    ['rows above 100 ns or 10 medians', 2, null],
    ['rows above 64 B', 1, null],
    ['template slower on ascii', 150, 0.5],
    ['template slow on ascii', 21, 0.5],
    ['template large on ascii', 65, null],
    ['1 KB: time of the limit, rows above 1 s', 0, null],
    ['1 KB: memory in use, rows above 100 MiB', 0, null],
  ]);
});

const spent = (shown: string, figures: Partial<SpentRow>): SpentRow => ({
  engine: 'rule',
  shown,
  input: 'emoji of 32',
  seconds: null,
  bytes: null,
  ...figures,
});

it('shows the small objects above an aim, or the worst one', () => {
  const mebibyte = 1024 * 1024;
  const rows = toRows({
    rows: [],
    reading: 1,
    spent: [
      spent('quick', { seconds: 0.5 }),
      spent('slow', { seconds: 1.1 }),
      spent('slower', { seconds: 2 }),
      spent('small', { bytes: 10 * mebibyte }),
      spent('large', { bytes: 100 * mebibyte }),
    ],
  });
  expect(rows.slice(5).map(({ figure, unit, values }) => [figure, unit, values[0]])).toEqual([
    ['1 KB: time of the limit, rows above 1 s', 'count', 2],
    ['1 KB: time of the limit: rule slower on emoji of 32', 's', 2],
    ['1 KB: time of the limit: rule slow on emoji of 32', 's', 1.1],
    ['1 KB: memory in use, rows above 100 MiB', 'count', 0],
    ['1 KB: memory in use: rule large on emoji of 32', 'MiB', 100],
  ]);
});
