// Whether the pass read Machines in a state that their MachineSets have not reported. A MachineDeployment is enqueued by
// its MachineSets only. If a Machine returns to an earlier state before its MachineSet sees the change, the MachineSet
// does not change, and no event corrects what the deployment reported. Upstream corrects it with its resync.
import type { Instant } from '@capi-serverless/apimachinery';
import { type ConditionDraft, isTrue } from '@capi-serverless/cluster-api/conditions';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import { controllerUid } from '../../../shared/machine-collections/controller-uid.ts';
import { machinesReady, machinesUpToDate } from '../../../shared/machine-collections/machine-conditions.ts';
import { remediatingCondition } from '../../../shared/machine-collections/remediating-condition.ts';

/** The time until the next comparison. A MachineSet that is not reconciled for a reason of its own needs less. */
export const unreportedRequeueMs = 60_000;

interface ReadMachines {
  readonly sets: readonly WholeMachineSet[];
  readonly machines: readonly WholeMachine[];
  readonly now: Instant;
}

/** A MachineSet that is paused, or that has not reported a condition yet, is not compared. */
export function hasUnreportedMachines({ sets, machines, now }: ReadMachines): boolean {
  return sets
    .filter(({ status }) => !isTrue(status.conditions, 'Paused'))
    .some(set => {
      const members = machines.filter(machine => controllerUid(machine.metadata) === set.metadata.uid);
      return conditionsOf(members, now).some(draft => isOutdated(set, draft));
    });
}

/** The conditions of a MachineSet that a MachineDeployment computes from the same Machines. */
function conditionsOf(machines: readonly WholeMachine[], now: Instant): readonly ConditionDraft[] {
  return [
    machinesReady('MachinesReady', machines),
    machinesUpToDate('MachinesUpToDate', machines, now),
    remediatingCondition(machines, ' by MachineSet'),
  ];
}

function isOutdated({ status }: WholeMachineSet, draft: ConditionDraft): boolean {
  const stored = status.conditions.find(({ type }) => type === draft.type);
  return (
    stored !== undefined &&
    (stored.status !== draft.status || stored.reason !== draft.reason || stored.message !== draft.message)
  );
}
