// Which Machines start their in-place update in one pass.
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineSet } from '../../../../shared/api/machine-set/whole-machine-set.ts';
import {
  acknowledgedMoveAnnotation,
  pendingAcknowledgeMoveAnnotation,
  receiveMachinesAnnotation,
  updateInProgressAnnotation,
} from '../../../../shared/machine-collections/keys.ts';
import { updateMachine } from '../../../../shared/runtime-hooks/rules/catalog.ts';
import { isPending } from '../../../../shared/runtime-hooks/rules/pending-hooks.ts';

/**
 * A moved Machine waits until the replicas include it. If no MachineSet hands Machines over any more, it does not wait: it
 * is a surplus Machine like any other.
 */
export function startsUpdate({ metadata }: WholeMachine, { metadata: set }: WholeMachineSet): boolean {
  const { annotations, name } = metadata;
  if (!(updateInProgressAnnotation in annotations) || isPending(annotations, updateMachine)) {
    return false;
  }
  const receives = (set.annotations[receiveMachinesAnnotation] ?? '') !== '';
  const acknowledged = (set.annotations[acknowledgedMoveAnnotation] ?? '').split(',');
  return !(pendingAcknowledgeMoveAnnotation in annotations) || !receives || acknowledged.includes(name);
}
