// Converts the measured Clusters of subjects to rows.
import { largest, median, quantile, type Row } from '../section.ts';
import { kindRows, type PerSubject, totalRows } from '../subjects/request-rows.ts';
import { cpuRows } from '../subjects/rows.ts';
import { type MeasuredClusters, stages } from './topology-workload.ts';

/** Each row has one value per subject. The first subject is this project. */
export function toRows(measured: PerSubject<MeasuredClusters>): readonly Row[] {
  return (measured[0] ?? []).flatMap((_, index) => rowsOf(measured.map(runs => runs.slice(index, index + 1))));
}

/** The measurements have the same number of Clusters. */
function rowsOf(measurements: PerSubject<MeasuredClusters>): readonly Row[] {
  const head = `${measurements[0]?.[0]?.objects ?? 0} at once:`;
  const times = stages.flatMap(stage => {
    const seconds = (what: string, of: (ms: readonly number[]) => number | null): Row => {
      const values = measurements.map(runs => of(runs.flatMap(({ spans }) => spans.map(span => span[stage]))));
      return { figure: `${head} create → ${stage}, ${what}`, unit: 's', values: values.map(ms => ms && ms / 1000) };
    };
    return [seconds('p50', median), seconds('p99', ms => quantile(ms, 0.99)), seconds('max', largest)];
  });
  return [
    ...times,
    ...totalRows(head, 'Cluster', measurements),
    ...kindRows(head, measurements),
    ...cpuRows(head, 'Cluster', measurements),
  ];
}
