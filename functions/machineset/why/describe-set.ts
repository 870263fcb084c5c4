// The output of `why` for a MachineSet: its Machines, and what keeps it from its replicas. Reads the management cluster only.
import { type Answer, answered, type Unstructured } from '@capi-serverless/apimachinery';
import { clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import { readWholeMachine, type WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import { readWholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import type { Wait } from '../../../shared/explain/conditions.ts';
import { toExplanation, type WaitCause } from '../../../shared/explain/explanation.ts';
import type { Describing, Description } from '../../../shared/explain/face.ts';
import { deletingMachines, joinCauses, unavailableMachines } from '../../../shared/explain/replica-causes.ts';
import { isControlledBy } from '../../../shared/machine-collections/controlled-by.ts';
import { toSetTree } from './set-tree.ts';
import { remediesOfMachineSet, waitOfMachineSet } from './set-waits.ts';

/** Fails if the Machines cannot be read. */
export async function describeMachineSet(
  primary: Unstructured,
  { reads }: Pick<Describing, 'reads'>,
): Promise<Answer<Description>> {
  const set = readWholeMachineSet(primary);
  const { namespace, uid } = set.metadata;
  const labels = set.spec.selector.matchLabels;
  const answer = await reads.list({ apiVersion: clusterApiVersion, namespace, kind: 'Machine', labels });
  if (!answer.ok) {
    return answer;
  }
  const machines = answer.value.map(readWholeMachine).filter(machine => isControlledBy(machine, uid));
  const wait = waitOfMachineSet(primary);
  return answered({
    tree: shown => toSetTree({ set, machines }, shown),
    explanation: wait && toExplanation(wait, causeOf(wait, primary, machines)),
  });
}

function causeOf(wait: Wait, primary: Unstructured, machines: readonly WholeMachine[]): WaitCause {
  const own = { pointsTo: [], remedies: remediesOfMachineSet(primary, wait) };
  return joinCauses([own, deletingMachines(machines), unavailableMachines(machines)]);
}
