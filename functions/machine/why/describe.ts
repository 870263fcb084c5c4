// The output of `why` for a Machine: its tree, and what it waits for. Reads the management cluster only.
import { type Answer, answered, type Unstructured } from '@capi-serverless/apimachinery';
import { clusterApiVersion, isDefined } from '../../../shared/api/cluster/reader.ts';
import { readWholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { Describing, Description } from '../../../shared/explain/face.ts';
import { readReferred } from '../../../shared/explain/read-referred.ts';
import { explainMachine } from './explain.ts';
import { toMachineTree } from './machine-tree.ts';

/** Never fails: an object that cannot be read is shown so. */
export async function describeMachine(
  machine: Unstructured,
  { reads, findOrder }: Describing,
): Promise<Answer<Description>> {
  const { metadata, spec } = readWholeMachine(machine);
  const { namespace } = metadata;
  const read = (ref: typeof spec.infrastructureRef) =>
    readReferred(reads, { namespace }, isDefined(ref) ? ref : undefined);
  const [cluster, bootstrap, infrastructure] = await Promise.all([
    reads.get({ apiVersion: clusterApiVersion, kind: 'Cluster', namespace, name: spec.clusterName }),
    read(spec.bootstrap.configRef),
    read(spec.infrastructureRef),
  ]);
  const snapshot = { machine, cluster: cluster.ok ? cluster.value : undefined, bootstrap, infrastructure };
  return answered({ tree: () => toMachineTree(snapshot), explanation: explainMachine(snapshot, findOrder) });
}
