// The descendants of a Cluster: its control plane Machines, its workers, and the objects that it owns directly.
import { type Checked, compareText, groupOf, type PartialObject } from '@capi-serverless/apimachinery';
import { isFalse } from '@capi-serverless/cluster-api/conditions';
import { type Cluster, clusterGroup } from '../../../shared/api/cluster/reader.ts';
import { controlPlaneLabel, type Machine, poolNameLabel } from '../../../shared/api/machine/reader.ts';
import type { MachineDeployment } from '../../../shared/api/machine-deployment/reader.ts';
import type { MachinePool } from '../../../shared/api/machine-pool/reader.ts';
import type { MachineSet } from '../../../shared/api/machine-set/reader.ts';
import type { DescendantLists } from '../seen.ts';

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

function listError(kinds: string, list: Checked<unknown>, { metadata }: Cluster): string | undefined {
  return list.ok
    ? undefined
    : `failed to list ${kinds} for cluster ${metadata.namespace}/${metadata.name}: ${list.error}`;
}

export function isControlPlaneMachine({ metadata }: PartialObject): boolean {
  return metadata.labels !== undefined && controlPlaneLabel in metadata.labels;
}

/** Returns true if any owner reference names the Cluster. The uid is not compared. */
export function isOwnedBy(cluster: Cluster, { metadata }: PartialObject): boolean {
  return (metadata.ownerReferences ?? []).some(
    owner =>
      groupOf(owner.apiVersion) === clusterGroup && owner.kind === 'Cluster' && owner.name === cluster.metadata.name,
  );
}

/** Worker Machines that are counted individually. Machines of a MachinePool are counted by the MachinePool. */
export function standAloneWorkers({ workerMachines }: KnownDescendants): readonly Machine[] {
  return workerMachines.filter(machine => !isPoolMachine(machine));
}

/** Returns the Machines whose health check failed. */
export function unhealthyMachines({ controlPlaneMachines, workerMachines }: KnownDescendants): readonly Machine[] {
  return [...controlPlaneMachines, ...workerMachines].filter(
    machine => !isPoolMachine(machine) && isFalse(machine.status.conditions, 'HealthCheckSucceeded'),
  );
}

/** Returns the unhealthy Machines that their owner must replace. */
export function machinesToBeRemediated(descendants: KnownDescendants): readonly Machine[] {
  return unhealthyMachines(descendants).filter(machine => isFalse(machine.status.conditions, 'OwnerRemediated'));
}

/** Returns the first names, and the number of omitted names. */
export function listNames(objects: readonly PartialObject[], most: number): string {
  const names = objects.toSorted(byName).map(object => object.metadata.name);
  const shown = names.slice(0, most);
  return names.length > most ? `${shown.join(', ')}, ... (${names.length - most} more)` : shown.join(', ');
}

export function byName(a: PartialObject, b: PartialObject): number {
  return compareText(a.metadata.name, b.metadata.name);
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
