// Converts the measurements of API servers to rows.
import { median, type Row } from '../section.ts';
import type { Rate, ServerMeasurements, ServerSizes } from './measure-server.ts';

/** Each row has one value per server. The first server is the embedded one. */
export function toRows(measured: readonly ServerMeasurements[], sizes: ServerSizes): readonly Row[] {
  const memory = (figure: string, of: (server: ServerMeasurements) => number | null): Row => ({
    figure,
    unit: 'MiB',
    values: measured.map(of),
  });
  return [
    {
      figure: `start → ready, median of ${sizes.starts}`,
      unit: 's',
      values: measured.map(({ readyMs }) => toSeconds(median(readyMs))),
    },
    {
      figure: 'start → ready: processor time',
      unit: 's',
      values: measured.map(({ readyCpuMs }) => toSeconds(median(readyCpuMs))),
    },
    memory('memory with the definitions', ({ emptyMiB }) => emptyMiB),
    memory(`memory with ${sizes.clusters} Clusters`, ({ fullMiB }) => fullMiB),
    ...toRateRows(
      `create Cluster (${sizes.clusters})`,
      measured.map(({ creates }) => creates),
    ),
    ...toRateRows(
      `label patch of a Cluster (${sizes.requests})`,
      measured.map(({ patches }) => patches),
    ),
    ...toRateRows(
      `create ConfigMap (${sizes.requests})`,
      measured.map(({ configMaps }) => configMaps),
    ),
    ...toRateRows(
      `get Cluster (${sizes.requests})`,
      measured.map(({ reads }) => reads),
    ),
  ];
}

function toRateRows(what: string, rates: readonly Rate[]): readonly Row[] {
  return [
    { figure: `${what}: per second`, unit: 'count', values: rates.map(({ perSecond }) => perSecond) },
    {
      figure: `${what}: per second of CPU`,
      unit: 'count',
      values: rates.map(({ perCpuSecond }) => perCpuSecond),
    },
  ];
}

function toSeconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}
