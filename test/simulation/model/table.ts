// The figures of the variants as a Markdown table.
import type { Figures } from './compare.ts';

const columns = ['variant', 'runs', 'losing a change', 'losing a timer', 'overlapping', 'reconciles/run'] as const;

export function toTable(all: readonly Figures[]): string {
  const rows = all.map(({ variant, runs, losing, reconcilesPerRun }) => [
    variant.name,
    toCount(runs),
    toCount(losing.change),
    toCount(losing.timer),
    toCount(losing.overlap),
    reconcilesPerRun.toFixed(1),
  ]);
  const lines = [columns, columns.map((_, index) => (index === 0 ? '---' : '---:')), ...rows];
  return lines.map(cells => `| ${cells.join(' | ')} |\n`).join('');
}

export function toCount(count: number): string {
  return count.toLocaleString('en-US');
}
