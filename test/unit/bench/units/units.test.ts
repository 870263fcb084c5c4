import { expect, it } from 'vitest';
import { type MeasuredRow, toRows } from '../../../../bench/units/units.ts';

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
  const rows = toRows({ rows: [...usual, ...slow, aRow('large', { bytes: 65 })], reading: 0.5 });
  expect(rows.map(({ figure, values }) => [figure, ...values])).toEqual([
    ['rows', 12, null],
    ['time of a unit, median', 2, 0.5],
    ['allocated for a unit, median', 1, null],
    ['rows above 100 ns or 10 medians', 2, null],
    ['rows above 64 B', 1, null],
    ['template slower on ascii', 150, 0.5],
    ['template slow on ascii', 21, 0.5],
    ['template large on ascii', 65, null],
  ]);
});
