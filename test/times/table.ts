// The tables of times: suites, and the slowest files.
import type { FileDurations, FileProcessor } from './record.ts';

interface FileTimes extends FileDurations, FileProcessor {}

const slowest = 40;
const kinds = ['bundling', 'servers', 'templates'] as const;

const toSeconds = (value: number): string => value.toFixed(1);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The records of both sources, by file. A file without one of them did not run to its end. */
export function join(durations: readonly FileDurations[], processor: readonly FileProcessor[]): readonly FileTimes[] {
  const byFile = new Map(processor.map(record => [record.file, record]));
  return durations.flatMap(record => {
    const found = byFile.get(record.file);
    return found === undefined ? [] : [{ ...record, ...found }];
  });
}

const wallOf = ({ importing, running }: FileDurations): number => (importing + running) / 1000;

export function toSuiteTable(files: readonly FileTimes[]): readonly string[] {
  const suites = [...new Set(files.map(({ suite }) => suite))];
  return [
    '| suite | files | tests | processor s | of it children | import s | bundling s | servers s | templates s |',
    '|---|---|---|---|---|---|---|---|---|',
    ...suites.map(suite => {
      const own = files.filter(file => file.suite === suite);
      const cells = [suite, own.length, sum(own.map(({ tests }) => tests)), ...timesOf(own)];
      return `| ${cells.join(' | ')} |`;
    }),
  ];
}

export function toFileTable(files: readonly FileTimes[]): readonly string[] {
  const cost = ({ own, children }: FileTimes): number => own + children;
  const shown = files.toSorted((a, b) => cost(b) - cost(a)).slice(0, slowest);
  return [
    '| file | tests | wall s | processor s | of it children | import s | bundling s | servers s | templates s |',
    '|---|---|---|---|---|---|---|---|---|',
    ...shown.map(file => {
      const cells = [`\`${file.file}\``, file.tests, toSeconds(wallOf(file)), ...timesOf([file])];
      return `| ${cells.join(' | ')} |`;
    }),
  ];
}

function timesOf(files: readonly FileTimes[]): readonly string[] {
  const spans = kinds.map(kind => sum(files.map(({ spans }) => spans[kind] ?? 0)) / 1000);
  return [
    sum(files.map(({ own, children }) => own + children)),
    sum(files.map(({ children }) => children)),
    sum(files.map(({ importing }) => importing)) / 1000,
    ...spans,
  ].map(toSeconds);
}

const markers = ['<!-- times: written by npm run test:times -->', '<!-- end of times -->'] as const;

/** Returns the page with these lines between its markers. Throws if the page has no markers. */
export function withTables(page: string, lines: readonly string[]): string {
  const [from, to] = markers.map(marker => page.indexOf(marker));
  if (from === undefined || to === undefined || from < 0 || to < from) {
    throw new Error(`The page has no lines ${markers.join(' and ')}`);
  }
  return `${page.slice(0, from + markers[0].length)}\n${lines.join('\n')}\n${page.slice(to)}`;
}
