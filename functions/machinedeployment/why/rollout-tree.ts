// The picture of a rollout: the MachineDeployment, its MachineSets with their numbers, and their Machines. Pure.
import { compareText, toDisplayName } from '@capi-serverless/apimachinery';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import { joined, viewCollection, viewObject } from '../../../shared/explain/object-view.ts';
import { machinePreference } from '../../../shared/explain/referred.ts';
import { blockOf } from '../../../shared/explain/replica-causes.ts';
import type { ObjectNode, Shown } from '../../../shared/explain/tree.ts';
import { isControlledBy } from '../../../shared/machine-collections/controlled-by.ts';
import { templateDifferences } from '../../../shared/machine-collections/template-differences.ts';
import type { RolloutSnapshot } from './rollout-cause.ts';

/** MachineSets without Machines are omitted, except the one with the current template. */
export function toRolloutTree(snapshot: RolloutSnapshot, shown: Shown): ObjectNode {
  const { deployment, sets } = snapshot;
  const nodes = sets
    .toSorted((a, b) => compareText(createdAt(a), createdAt(b)))
    .filter(set => differencesOf(set, snapshot).length === 0 || set.spec.replicas !== 0 || set.status.replicas !== 0)
    .map(set => nodeOfSet(set, snapshot, shown));
  return { name: toDisplayName(deployment.metadata), ...viewCollection(deployment.object), children: shown(nodes) };
}

function createdAt({ metadata: { creationTimestamp = '' } }: WholeMachineSet): string {
  return creationTimestamp;
}

function differencesOf(set: WholeMachineSet, { deployment }: RolloutSnapshot): readonly string[] {
  return templateDifferences(set.spec.template.spec, deployment.spec.template.spec).map(({ message }) => message);
}

function nodeOfSet(set: WholeMachineSet, snapshot: RolloutSnapshot, shown: Shown): ObjectNode {
  const { metadata, spec, status } = set;
  const differences = differencesOf(set, snapshot);
  const counts = `${status.availableReplicas ?? 0}/${spec.replicas ?? 0} available`;
  const template = differences.length === 0 ? 'current template' : differences.join('; ');
  const machines = snapshot.machines.filter(machine => isControlledBy(machine, metadata.uid)).map(nodeOfMachine);
  const { mark } = viewObject(set.object, ['MachinesReady']);
  return {
    name: `MachineSet/${metadata.name}`,
    mark,
    detail: joined(counts, template, blockOf(set)),
    children: shown(machines),
  };
}

function nodeOfMachine({ metadata, object }: WholeMachine): ObjectNode {
  return { name: `Machine/${metadata.name}`, ...viewObject(object, machinePreference), children: [] };
}
