// Converts the measurements of subjects to rows.
import { largest, median, type Row } from '../section.ts';
import type { SubjectMeasurements } from './measure-subject.ts';
import type { Cpu, Measurement } from './workload.ts';

type Measured = readonly SubjectMeasurements[];

/** Each row has one value per subject. The first subject is this project. */
export function toRows(measured: Measured): readonly Row[] {
  const oneByOne = measured.map(subject => subject.oneByOne);
  const count = oneByOne[0]?.length ?? 0;
  const one = `one at a time (${count})`;
  return [
    seconds(`${one}: create → Provisioned, p50`, oneByOne, spans => median(spans)),
    seconds(`${one}: create → Provisioned, max`, oneByOne, spans => largest(spans)),
    ...requestRows(`${one}: `, oneByOne),
    ...(measured[0]?.atOnce ?? []).flatMap(({ clusters }, index) =>
      atOnceRows(
        clusters,
        measured.map(subject => subject.atOnce.slice(index, index + 1)),
      ),
    ),
    {
      figure: 'memory of the process, at the end',
      unit: 'MiB',
      values: measured.map(of => of.memory?.residentMiB ?? null),
    },
    { figure: 'memory of the process, peak', unit: 'MiB', values: measured.map(of => of.memory?.peakMiB ?? null) },
  ];
}

type PerSubject = readonly (readonly Measurement[])[];

function atOnceRows(clusters: number, measurements: PerSubject): readonly Row[] {
  const head = `${clusters} at once:`;
  const cpu = (what: string, of: keyof Cpu): Row => ({
    figure: `${head} CPU of ${what} per Cluster`,
    unit: 'ms',
    values: measurements.map(([measured]) => perCluster(measured?.cpu[of] ?? null, measured)),
  });
  return [
    seconds(`${head} create → Provisioned, p50`, measurements, spans => median(spans)),
    seconds(`${head} create → Provisioned, max`, measurements, spans => largest(spans)),
    {
      figure: `${head} all Provisioned`,
      unit: 's',
      values: measurements.map(([measured]) => (measured === undefined ? null : measured.allMs / 1000)),
    },
    totalRow(head, measurements),
    cpu('kube-apiserver', 'apiserver'),
    cpu('etcd', 'etcd'),
    cpu('the process', 'subject'),
  ];
}

function seconds(figure: string, measurements: PerSubject, of: (ms: readonly number[]) => number | null): Row {
  const values = measurements.map(runs => of(runs.flatMap(({ provisionedMs }) => provisionedMs)));
  return { figure, unit: 's', values: values.map(ms => (ms === null ? null : ms / 1000)) };
}

function totalRow(head: string, measurements: PerSubject): Row {
  const values = measurements.map(runs => average(runs, ({ requests }) => sum([...requests.values()])));
  return { figure: `${head} API requests per Cluster`, unit: 'count', values };
}

/** Returns the total, and then each verb and resource that any subject used. */
function requestRows(head: string, measurements: PerSubject): readonly Row[] {
  const kinds = new Set(measurements.flat().flatMap(({ requests }) => [...requests.keys()]));
  const rows = [...kinds].sort().map((kind): Row => {
    const values = measurements.map(runs => average(runs, ({ requests }) => requests.get(kind) ?? 0));
    return { figure: `${head}  of them ${kind}`, unit: 'count', values };
  });
  return [totalRow(head.trimEnd(), measurements), ...rows];
}

function average(runs: readonly Measurement[], of: (run: Measurement) => number): number | null {
  const clusters = sum(runs.map(run => run.clusters));
  return clusters === 0 ? null : sum(runs.map(of)) / clusters;
}

function perCluster(total: number | null, measured: Measurement | undefined): number | null {
  return total === null || measured === undefined ? null : total / measured.clusters;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
