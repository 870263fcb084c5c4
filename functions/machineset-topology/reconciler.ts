// Deletes the templates of a MachineSet of a managed topology, if neither another MachineSet nor its MachineDeployment
// uses them.
import {
  type Checked,
  groupOf,
  invalid,
  type ObjectRef,
  type Reads,
  toDisplayName,
  toRef,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import { clusterApiVersion, clusterGroup } from '../../shared/api/cluster/reader.ts';
import { listMachineSets } from '../../shared/template-cleanup/list-machine-sets.ts';
import type { CleanupRules } from '../../shared/template-cleanup/observe.ts';
import { cleanupReconciler } from '../../shared/template-cleanup/reconciler.ts';
import { failureText } from '../../shared/template-cleanup/seen.ts';
import { machineSetTopologyDeclaration } from './declaration.ts';

export const machineSetTopologyFinalizer = 'machineset.topology.cluster.x-k8s.io';

const machineSetCleanup: CleanupRules = {
  finalizer: machineSetTopologyFinalizer,
  users: readUsers,
  dependents: () => [],
};

/** Returns the MachineSets of the same MachineDeployment, and the MachineDeployment if it exists. */
async function readUsers(object: Unstructured, ask: Reads): Promise<Checked<readonly Unstructured[]>> {
  const owner = object.metadata.ownerReferences?.find(
    ({ apiVersion, kind }) => kind === 'MachineDeployment' && groupOf(apiVersion) === clusterGroup,
  );
  const self = toDisplayName(object.metadata);
  if (owner === undefined) {
    return invalid(`could not calculate MachineDeployment name for MachineSet ${self}`);
  }
  const deployment: ObjectRef = {
    ...toRef(object),
    apiVersion: clusterApiVersion,
    kind: 'MachineDeployment',
    name: owner.name,
  };
  const [listed, found] = await Promise.all([listMachineSets(deployment, ask), ask.get(deployment)]);
  if (!listed.ok) {
    return listed;
  }
  if (found.ok) {
    return valid([...listed.value, found.value]);
  }
  const what = `failed to get MachineDeployment ${toDisplayName(deployment)}`;
  return found.missing ? listed : invalid(failureText(what, found.failure));
}

export const machineSetTopologyReconciler = cleanupReconciler(machineSetTopologyDeclaration, machineSetCleanup);
