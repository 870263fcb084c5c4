// Converts the measured rollouts of subjects to rows.
import { largest, median, type Row } from '../section.ts';
import { kindRows, totalRows } from '../subjects/request-rows.ts';
import { cpuRows } from '../subjects/rows.ts';
import type { Rollout } from './rollout-workload.ts';

/** Each row has one value per subject. The first subject is this project. */
export function toRows(measured: readonly (readonly Rollout[])[]): readonly Row[] {
  const head = `rollout (${measured[0]?.length ?? 0}):`;
  const seconds = (what: string, of: (ms: readonly number[]) => number | null): Row => {
    const values = measured.map(rollouts => of(rollouts.map(({ ms }) => ms)));
    return { figure: `${head} change → all replaced, ${what}`, unit: 's', values: values.map(ms => ms && ms / 1000) };
  };
  return [
    seconds('p50', median),
    seconds('max', largest),
    ...totalRows(head, 'rollout', measured),
    ...kindRows(head, measured),
    ...cpuRows(head, 'rollout', measured),
  ];
}
