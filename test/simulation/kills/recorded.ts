// The invocations of a workload's run without faults, each with the stored state before it.
import { toRecord } from '../../../local/event-source-mapping.ts';
import type { QueueName } from '../../../shared/workqueue/port.ts';
import { expandQueue } from '../../../shared/workqueue/queue-names.ts';
import { runSimulation } from '../run.ts';
import type { SimulatedWorld } from '../system/stored-state.ts';
import type { Workload } from '../workloads/workload.ts';

export interface Recorded {
  /** The queue of the function. */
  readonly queue: QueueName;
  readonly event: unknown;
  readonly world: SimulatedWorld;
}

/** The resync function also processes its schedule. No workload has a resync period. */
const scheduledResync = { queue: expandQueue, event: { 'detail-type': 'Scheduled Event' } };

/** Throws if the run fails. */
export async function recordInvocations(workload: Workload): Promise<readonly Recorded[]> {
  const recorded: Recorded[] = [];
  const { violations } = await runSimulation({
    workload,
    seed: '0',
    onInvocation({ queue, messages }, world) {
      recorded.push({ queue, event: { Records: messages.map(each => toRecord(queue, each)) }, world: world() });
    },
  });
  if (violations.length > 0) {
    throw new Error(`The undisturbed run of ${workload.name} fails: ${violations.join('; ')}`);
  }
  const last = recorded.at(-1);
  return last === undefined ? [] : [...recorded, { ...scheduledResync, world: last.world }];
}
