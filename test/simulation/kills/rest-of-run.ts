// The rest of a run after a kill. All functions and event sources start with the stored state and run until the system
// is quiescent. Some work needs another function first. An example is Machines that are created when the control plane
// is ready.
import type { EndState } from '../oracles/end-state.ts';
import { runFrom } from '../run.ts';
import type { SimulatedReconciler } from '../system/functions.ts';
import { differences } from '../trial.ts';
import type { Workload } from '../workloads/workload.ts';
import type { KillStage } from './stage.ts';

export interface KillSubject {
  readonly reconcilers: readonly SimulatedReconciler[];
  readonly workload: Workload;
}

/** Returns the differences of the final states, or the violations that the oracles of the simulation report. */
export async function differencesAtTheEnd(
  killed: KillStage,
  undisturbed: KillStage,
  subject: KillSubject,
): Promise<readonly string[]> {
  const [found, expected] = [await finish(killed, subject), await finish(undisturbed, subject)];
  const isWrong = found.violations.length > 0 && expected.violations.length === 0;
  return isWrong ? found.violations : differences(found.end, expected.end);
}

async function finish(
  stage: KillStage,
  { reconcilers, workload }: KillSubject,
): Promise<{ readonly end: EndState; readonly violations: readonly string[] }> {
  const rest: Workload = { ...workload, name: `the rest of ${workload.name}`, script: async () => {} };
  const { end, violations } = await runFrom({ workload: rest, seed: '0', system: { reconcilers } }, stage.world());
  return { end: { ...end, changes: sumOf(Object.entries(end.changes), [...stage.changes]) }, violations };
}

function sumOf(...counts: readonly (readonly (readonly [string, number])[])[]): Readonly<Record<string, number>> {
  const sum: Record<string, number> = {};
  for (const [change, count] of counts.flat()) {
    sum[change] = (sum[change] ?? 0) + count;
  }
  return sum;
}
