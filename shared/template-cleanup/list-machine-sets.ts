// Reads the MachineSets of a MachineDeployment of a managed topology.
import {
  type Checked,
  invalid,
  type ObjectMeta,
  type Reads,
  toDisplayName,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import { clusterApiVersion } from '../api/cluster/reader.ts';
import { deploymentNameLabel } from '../api/machine-deployment/reader.ts';
import { failureText } from './seen.ts';

/** Finds the MachineSets by the label that their MachineDeployment sets. */
export async function listMachineSets(
  deployment: Pick<ObjectMeta, 'name' | 'namespace'>,
  ask: Pick<Reads, 'list'>,
): Promise<Checked<readonly Unstructured[]>> {
  const { namespace = '', name } = deployment;
  const labels = { [deploymentNameLabel]: name };
  const listed = await ask.list({ apiVersion: clusterApiVersion, kind: 'MachineSet', namespace, labels });
  const what = `failed to list MachineSets for MachineDeployment ${toDisplayName(deployment)}`;
  return listed.ok ? valid(listed.value) : invalid(failureText(what, listed.failure));
}
