// Tests the kill points of workloads on all cores.
import { onAllCores } from '../workers.ts';
import type { InvocationSample } from './sample.ts';
import type { KillReport, KillTask } from './task.ts';

/**
 * The number of tasks per workload, so that the cores end at about the same time. Each core records the workload's run
 * for its tasks.
 */
const mostParts = 4;

/** Returns one report per workload, about the selected invocations. */
export async function examineAll(
  workloads: readonly string[],
  { step, seed }: InvocationSample,
): Promise<readonly KillReport[]> {
  const parts = Math.ceil(mostParts / step);
  const tasks = workloads.flatMap(workload =>
    Array.from({ length: parts }, (_, part): KillTask => ({ workload, part, parts, step, seed })),
  );
  const reports: KillReport[] = [];
  await onAllCores(tasks.values(), (report: KillReport) => void reports.push(report));
  return workloads.map(workload =>
    sum(
      workload,
      reports.filter(report => report.workload === workload),
    ),
  );
}

export function sum(workload: string, reports: readonly KillReport[]): KillReport {
  const total = (of: 'invocations' | 'points' | 'states' | 'withOthers'): number =>
    reports.reduce((before, report) => before + report[of], 0);
  return {
    workload,
    invocations: total('invocations'),
    points: total('points'),
    states: total('states'),
    withOthers: total('withOthers'),
    failures: reports.flatMap(({ failures }) => failures),
  };
}

export function describeKills({ workload, invocations, points, states, withOthers }: KillReport): string {
  return `${workload}: ${points} kill points in ${invocations} invocations left ${states} different states; ${withOthers} needed other functions`;
}
