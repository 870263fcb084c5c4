// Rows about the requests of subjects.
import type { Row } from '../section.ts';
import type { RequestCounts } from './request-log.ts';

/** The requests of one measurement, and the number of objects or rollouts by which they are divided. */
export interface Requested {
  readonly objects: number;
  readonly requests: RequestCounts;
}

/** The measurements of each subject. */
export type PerSubject<Measured> = readonly (readonly Measured[])[];

const writes = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** Returns all requests, and the writes among them, for each `unit`. */
export function totalRows(head: string, unit: string, measurements: PerSubject<Requested>): readonly Row[] {
  const of = (what: string, counts: (kind: string) => boolean): Row => ({
    figure: `${head} ${what} per ${unit}`,
    unit: 'count',
    values: measurements.map(runs => average(runs, run => countOf(run, counts))),
  });
  return [of('API requests', () => true), of('writes', isWrite)];
}

/** Returns one row for each verb and resource that any subject used. */
export function kindRows(head: string, measurements: PerSubject<Requested>): readonly Row[] {
  const kinds = new Set(measurements.flat().flatMap(({ requests }) => [...requests.keys()]));
  return [...kinds].sort().map(kind => ({
    figure: `${head}   of them ${kind}`,
    unit: 'count',
    values: measurements.map(runs => average(runs, run => countOf(run, each => each === kind))),
  }));
}

function isWrite(kind: string): boolean {
  return writes.has(kind.split(' ')[0] ?? '');
}

function countOf({ requests }: Requested, counts: (kind: string) => boolean): number {
  return [...requests].reduce((total, [kind, count]) => (counts(kind) ? total + count : total), 0);
}

/** Returns the sum of a value of all measurements, divided by the number of their objects. Null if a value is null. */
export function average<Measured extends { readonly objects: number }>(
  runs: readonly Measured[],
  of: (run: Measured) => number | null,
): number | null {
  let [total, objects] = [0, 0];
  for (const run of runs) {
    const value = of(run);
    if (value === null) {
      return null;
    }
    total += value;
    objects += run.objects;
  }
  return objects === 0 ? null : total / objects;
}
