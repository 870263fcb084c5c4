// The output of `why` for a MachineDeployment: the picture of its rollout, and what stops it. Reads the management cluster
// only.
import { type Answer, answered, matchesLabels, type Reads, type Unstructured } from '@capi-serverless/apimachinery';
import { clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import { readWholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import { readWholeMachineDeployment } from '../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import { readWholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
import type { Wait } from '../../../shared/explain/conditions.ts';
import { toExplanation } from '../../../shared/explain/explanation.ts';
import type { Description } from '../../../shared/explain/face.ts';
import { isControlledBy } from '../../../shared/machine-collections/controlled-by.ts';
import { withDefaults } from '../phases/defaults.ts';
import { type RolloutSnapshot, rolloutCause } from './rollout-cause.ts';
import { toRolloutTree } from './rollout-tree.ts';

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
