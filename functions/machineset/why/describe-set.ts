// The output of `why` for a MachineSet: its Machines, and what keeps it from its replicas. Reads the management cluster only.
import {
  type Answer,
  answered,
  compareText,
  toDisplayName,
  type Unstructured,
  valueAt,
} from '@capi-serverless/apimachinery';
import { clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import { readWholeMachine, type WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import { readWholeMachineSet, type WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import type { Wait } from '../../../shared/explain/conditions.ts';
import { toExplanation, type WaitCause } from '../../../shared/explain/explanation.ts';
import type { Describing, Description } from '../../../shared/explain/face.ts';
import { joined, viewObject } from '../../../shared/explain/object-view.ts';
import { machinePreference } from '../../../shared/explain/referred.ts';
import { blockOf, deletingMachines, joinCauses, unavailableMachines } from '../../../shared/explain/replica-causes.ts';
import type { ObjectNode, Shown } from '../../../shared/explain/tree.ts';
import { isControlledBy } from '../../../shared/machine-collections/controlled-by.ts';
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

interface SetSnapshot {
  readonly set: WholeMachineSet;
  readonly machines: readonly WholeMachine[];
}

/** The picture of a MachineSet: its numbers and its Machines, oldest first. */
function toSetTree({ set, machines }: SetSnapshot, shown: Shown): ObjectNode {
  const { metadata, spec, status, object } = set;
  const counts = `${status.availableReplicas ?? 0}/${spec.replicas ?? 0} available`;
  const { mark, detail } = viewObject(object, ['MachinesReady']);
  const block = blockOf(set);
  const nodes = machines.toSorted((a, b) => compareText(ageOf(a), ageOf(b))).map(nodeOf);
  return {
    name: toDisplayName(metadata),
    mark: block === '' ? mark : 'waiting',
    detail: joined(counts, spec.template.spec.version, block === '' ? detail : block),
    children: shown(nodes),
  };
}

function ageOf({ metadata: { creationTimestamp = '', name } }: WholeMachine): string {
  return `${creationTimestamp} ${name}`;
}

function nodeOf({ metadata, object }: WholeMachine): ObjectNode {
  const { mark, detail } = viewObject(object, machinePreference);
  const phase = valueAt(object.status, 'phase');
  return {
    name: `Machine/${metadata.name}`,
    mark,
    detail: joined(typeof phase === 'string' ? phase : '', detail),
    children: [],
  };
}
