// What goes with a MachineSet of a managed topology: the templates that neither another MachineSet nor its
// MachineDeployment uses.
import { type Checked, invalid, valid } from '../../shared/api/checked.ts';
import { clusterApiVersion, clusterGroup } from '../../shared/api/cluster/reader.ts';
import { deploymentNameLabel } from '../../shared/api/machine-deployment/reader.ts';
import { groupOf, type ObjectRef, toDisplayName, toRef, type Unstructured } from '../../shared/api/object.ts';
import type { Reads } from '../../shared/kernel/types.ts';
import type { Companion } from '../../shared/template-cleanup/observe.ts';
import { failureText } from '../../shared/template-cleanup/seen.ts';

export const machineSetTopologyFinalizer = 'machineset.topology.cluster.x-k8s.io';

export const companion: Companion = {
  finalizer: machineSetTopologyFinalizer,
  users: readUsers,
  companions: () => [],
};

/** The MachineSets of the same MachineDeployment, and itself while it is there. */
async function readUsers(object: Unstructured, ask: Reads): Promise<Checked<readonly Unstructured[]>> {
  const owner = object.metadata.ownerReferences?.find(
    ({ apiVersion, kind }) => kind === 'MachineDeployment' && groupOf(apiVersion) === clusterGroup,
  );
  const self = toDisplayName(object.metadata);
  if (owner === undefined) {
    return invalid(`could not calculate MachineDeployment name for MachineSet ${self}`);
  }
  const { namespace = '' } = object.metadata;
  const deployment: ObjectRef = {
    ...toRef(object),
    apiVersion: clusterApiVersion,
    kind: 'MachineDeployment',
    name: owner.name,
  };
  const labels = { [deploymentNameLabel]: owner.name };
  const [listed, found] = await Promise.all([
    ask.list({ apiVersion: clusterApiVersion, kind: 'MachineSet', namespace, labels }),
    ask.get(deployment),
  ]);
  const of = `MachineDeployment ${toDisplayName(deployment)}`;
  if (!listed.ok) {
    return invalid(failureText(`failed to list MachineSets for ${of}`, listed.failure));
  }
  if (found.ok) {
    return valid([...listed.value, found.value]);
  }
  return found.missing ? valid(listed.value) : invalid(failureText(`failed to get ${of}`, found.failure));
}
