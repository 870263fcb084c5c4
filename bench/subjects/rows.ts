// Converts the measurements of subjects to rows.
import { largest, median, quantile, type Row } from '../section.ts';
import type { ObjectMeasurements } from './measure-objects.ts';
import { average, kindRows, type PerSubject, totalRows } from './request-rows.ts';
import type { Cpu } from './running-subject.ts';
import type { MeasuredWork, Measurement } from './workload.ts';

type Measured = readonly ObjectMeasurements[];

/** Each row has one value per subject. The first subject is this project. */
export function toRows(
  { kind: { kind }, phase }: Pick<MeasuredWork, 'kind' | 'phase'>,
  measured: Measured,
): readonly Row[] {
  const oneByOne = measured.map(subject => subject.oneByOne);
  const count = oneByOne[0]?.length ?? 0;
  const one = `one at a time (${count}):`;
  return [
    seconds(`${one} create → ${phase}, p50`, oneByOne, median),
    seconds(`${one} create → ${phase}, max`, oneByOne, largest),
    ...totalRows(one, kind, oneByOne),
    ...kindRows(one, oneByOne),
    ...(measured[0]?.atOnce ?? []).flatMap((_, index) =>
      atOnceRows(
        { kind, phase },
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

function atOnceRows(
  { kind, phase }: { readonly kind: string; readonly phase: string },
  measurements: PerSubject<Measurement>,
): readonly Row[] {
  const head = `${measurements[0]?.[0]?.objects ?? 0} at once:`;
  return [
    seconds(`${head} create → ${phase}, p50`, measurements, median),
    seconds(`${head} create → ${phase}, p99`, measurements, spans => quantile(spans, 0.99)),
    seconds(`${head} create → ${phase}, max`, measurements, largest),
    {
      figure: `${head} all ${phase}`,
      unit: 's',
      values: measurements.map(([measured]) => (measured === undefined ? null : measured.allMs / 1000)),
    },
    ...totalRows(head, kind, measurements),
    ...cpuRows(head, kind, measurements),
  ];
}

/** Returns the CPU time of the measurements, for each `unit`. */
export function cpuRows(
  head: string,
  unit: string,
  measurements: PerSubject<Pick<Measurement, 'objects' | 'cpu'>>,
): readonly Row[] {
  const cpu = (what: string, of: keyof Cpu): Row => ({
    figure: `${head} CPU of ${what} per ${unit}`,
    unit: 'ms',
    values: measurements.map(runs => average(runs, measured => measured.cpu[of])),
  });
  return [cpu('kube-apiserver', 'apiserver'), cpu('etcd', 'etcd'), cpu('the process', 'subject')];
}

function seconds(
  figure: string,
  measurements: PerSubject<Measurement>,
  of: (ms: readonly number[]) => number | null,
): Row {
  const values = measurements.map(runs => of(runs.flatMap(({ arrivedMs }) => arrivedMs)));
  return { figure, unit: 's', values: values.map(ms => (ms === null ? null : ms / 1000)) };
}
