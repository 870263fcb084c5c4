// The output of `why` for a MachineDeployment: the picture of its rollout, and what stops it. Reads the management cluster
// only.
import {
  type Answer,
  answered,
  compareText,
  matchesLabels,
  type Reads,
  toDisplayName,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import { readWholeMachine, type WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import { readWholeMachineDeployment } from '../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import { readWholeMachineSet, type WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import type { Wait } from '../../../shared/explain/conditions.ts';
import { toExplanation } from '../../../shared/explain/explanation.ts';
import type { Description } from '../../../shared/explain/face.ts';
import { joined, viewCollection, viewObject } from '../../../shared/explain/object-view.ts';
import { machinePreference } from '../../../shared/explain/referred.ts';
import { blockOf } from '../../../shared/explain/replica-causes.ts';
import type { ObjectNode, Shown } from '../../../shared/explain/tree.ts';
import { isControlledBy } from '../../../shared/machine-collections/controlled-by.ts';
import { templateDifferences } from '../../../shared/machine-collections/template-differences.ts';
import { withDefaults } from '../phases/defaults.ts';
import { type RolloutSnapshot, rolloutCause } from './rollout-cause.ts';

interface Describing {
  readonly reads: Reads;
  /** Returns what the deployment waits for. */
  readonly waitOf: (deployment: Unstructured) => Wait | undefined;
}

/** Fails if the MachineSets or the Machines cannot be read. */
export async function describeRollout(
  primary: Unstructured,
  { reads, waitOf }: Describing,
): Promise<Answer<Description>> {
  const snapshot = await readRollout(primary, reads);
  if (!snapshot.ok) {
    return snapshot;
  }
  const wait = waitOf(primary);
  return answered({
    tree: shown => toRolloutTree(snapshot.value, shown),
    explanation: wait && toExplanation(wait, rolloutCause(snapshot.value)),
  });
}

/** Reads MachineSets before Machines, as the reconciler does. */
async function readRollout(primary: Unstructured, reads: Reads): Promise<Answer<RolloutSnapshot>> {
  const deployment = readWholeMachineDeployment(withDefaults(primary));
  const { namespace, uid } = deployment.metadata;
  const { selector } = deployment.spec;
  const query = { apiVersion: clusterApiVersion, namespace };
  const sets = await reads.list({ ...query, kind: 'MachineSet' });
  if (!sets.ok) {
    return sets;
  }
  const machines = await reads.list({ ...query, kind: 'Machine', labels: selector.matchLabels });
  if (!machines.ok) {
    return machines;
  }
  return answered({
    deployment,
    sets: sets.value.map(readWholeMachineSet).filter(set => isControlledBy(set, uid)),
    machines: machines.value.map(readWholeMachine).filter(({ metadata }) => matchesLabels(selector, metadata.labels)),
  });
}

/** MachineSets without Machines are omitted, except the one with the current template. */
function toRolloutTree(snapshot: RolloutSnapshot, shown: Shown): ObjectNode {
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
