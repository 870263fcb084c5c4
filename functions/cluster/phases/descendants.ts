// The descendants of a Cluster: its control plane Machines, its workers, and the objects that it owns directly.
import { type Checked, compareText, type PartialObject } from '@capi-serverless/apimachinery';
import { concluded } from '@capi-serverless/reconciler';
import { isOwnedByCluster } from '../../../shared/api/cluster/owned-by-cluster.ts';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { controlPlaneLabel, type Machine, poolNameLabel } from '../../../shared/api/machine/reader.ts';
import type { MachineDeployment } from '../../../shared/api/machine-deployment/reader.ts';
import type { MachinePool } from '../../../shared/api/machine-pool/reader.ts';
import type { MachineSet } from '../../../shared/api/machine-set/reader.ts';
import { byName } from '../../../shared/machine-collections/listed-names.ts';
import type { DescendantLists } from '../seen.ts';
import type { ClusterPhase } from './pass-progress.ts';

/** Machines are sorted by creation time. */
export interface KnownDescendants {
  readonly known: true;
  readonly machineDeployments: readonly MachineDeployment[];
  readonly machineSets: readonly MachineSet[];
  readonly machinePools: readonly MachinePool[];
  readonly controlPlaneMachines: readonly Machine[];
  readonly workerMachines: readonly Machine[];
}

export type Descendants = KnownDescendants | { readonly known: false; readonly error: string | undefined };

/** If one list could not be read, all descendants are unknown. The error names the first unreadable list. */
export function toDescendants(lists: DescendantLists, cluster: Cluster): Descendants {
  const { machineDeployments, machineSets, machinePools, machines } = lists;
  if (machineDeployments.ok && machineSets.ok && machinePools.ok && machines.ok) {
    const ordered = machines.value.toSorted(byCreation);
    return {
      known: true,
      machineDeployments: machineDeployments.value,
      machineSets: machineSets.value,
      machinePools: machinePools.value,
      controlPlaneMachines: ordered.filter(isControlPlaneMachine),
      workerMachines: ordered.filter(machine => !isControlPlaneMachine(machine)),
    };
  }
  const error =
    listError('MachineDeployments', machineDeployments, cluster) ??
    listError('MachineSets', machineSets, cluster) ??
    listError('MachinePools', machinePools, cluster) ??
    listError('Machines', machines, cluster);
  return { known: false, error };
}

/** Reports a list that could not be read. The phases that need the descendants handle a missing list themselves. */
export function descendantsPhase({ descendants }: { readonly descendants: Descendants }): ClusterPhase {
  const error = descendants.known ? undefined : descendants.error;
  return error === undefined ? concluded() : concluded({ errors: [error] });
}

function listError(kinds: string, list: Checked<unknown>, { metadata }: Cluster): string | undefined {
  return list.ok
    ? undefined
    : `failed to list ${kinds} for cluster ${metadata.namespace}/${metadata.name}: ${list.error}`;
}

export function isControlPlaneMachine({ metadata }: PartialObject): boolean {
  return metadata.labels !== undefined && controlPlaneLabel in metadata.labels;
}

export function isOwnedBy(cluster: Cluster, object: PartialObject): boolean {
  return isOwnedByCluster(object, cluster.metadata.name);
}

/** Worker Machines that are counted individually. Machines of a MachinePool are counted by the MachinePool. */
export function standAloneWorkers({ workerMachines }: KnownDescendants): readonly Machine[] {
  return workerMachines.filter(machine => !isPoolMachine(machine));
}

/** All Machines except those of MachinePools. A MachinePool replaces its Machines itself. */
export function singleMachines({ controlPlaneMachines, workerMachines }: KnownDescendants): readonly Machine[] {
  return [...controlPlaneMachines, ...workerMachines].filter(machine => !isPoolMachine(machine));
}

function byCreation(a: PartialObject, b: PartialObject): number {
  return compareText(creationOf(a), creationOf(b)) || byName(a, b);
}

/** All times have the same format, so string comparison sorts them correctly. */
function creationOf({ metadata }: PartialObject): string {
  return metadata.creationTimestamp ?? '';
}

function isPoolMachine({ metadata }: PartialObject): boolean {
  return metadata.labels !== undefined && poolNameLabel in metadata.labels;
}
