// Prints sections as Markdown tables or as one JSON document.
import { type Row, ratiosOf, type Section, type Unit } from './section.ts';

export interface BenchEnvironment {
  /** An RFC 3339 time. */
  readonly date: string;
  readonly command: string;
  readonly cores: number;
  readonly node: string;
  /**
   * The load of the last minute at the start. A value above the number of cores means that other processes used the
   * machine.
   */
  readonly loadAtStart: number;
}

const nothing = '–';
const decimals: Readonly<Record<Unit, number>> = { s: 2, ms: 1, ns: 1, B: 1, KiB: 0, MiB: 0, '%': 1, count: 1 };

export function toText(environment: BenchEnvironment, sections: readonly Section[]): string {
  const { date, command, cores, node, loadAtStart } = environment;
  const head = `${command} · ${date.slice(0, 10)} · ${cores} cores · Node ${node} · load at start ${loadAtStart.toFixed(1)}`;
  return `${[head, ...sections.map(sectionToText)].join('\n\n')}\n`;
}

/** Includes ratios: this project divided by each other subject. */
export function toJson(environment: BenchEnvironment, sections: readonly Section[]): string {
  const withRatios = sections.map(section => ({
    ...section,
    rows: section.rows.map(row => ({ ...row, ratios: ratiosOf(row) })),
  }));
  return `${JSON.stringify({ ...environment, sections: withRatios })}\n`;
}

function sectionToText({ title, subjects, rows, skipped }: Section): string {
  const [ours = '', ...others] = subjects;
  const head = ['', ours, ...others.flatMap(other => [other, 'ours / this'])];
  const table = rows.length === 0 ? [] : [toTable([head, ...rows.map(toCells)])];
  return [`## ${title}`, ...table, ...skipped.map(line => `Skipped: ${line}`)].join('\n\n');
}

function toCells(row: Row): readonly string[] {
  const ratios = ratiosOf(row);
  const [ours, ...others] = row.values.map(value => toValue(value, row.unit));
  return [row.figure, ours ?? nothing, ...others.flatMap((other, index) => [other, toRatio(ratios[index] ?? null)])];
}

function toValue(value: number | null, unit: Unit): string {
  if (value === null) {
    return nothing;
  }
  return `${value.toFixed(decimals[unit])}${unit === 'count' ? '' : ` ${unit}`}`;
}

function toRatio(ratio: number | null): string {
  return ratio === null ? nothing : ratio.toFixed(2);
}

function toTable(lines: readonly (readonly string[])[]): string {
  const [head = [], ...rest] = lines;
  const widths = head.map((_, column) => Math.max(3, ...lines.map(line => (line[column] ?? '').length)));
  const toLine = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => pad(cell, column, widths[column] ?? 0)).join(' | ')} |`;
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [toLine(head), toLine(rule), ...rest.map(toLine)].join('\n');
}

/** Names are left-aligned, numbers right-aligned. */
function pad(cell: string, column: number, width: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
