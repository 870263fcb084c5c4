// The templates that a ClusterClass references, each with the field of the reference.
import { readHealthCheck } from '../../shared/admission/checked-parts.ts';
import type { ClassSpec, MachineDeploymentClass, MachinePoolClass } from '../../shared/api/cluster-class/class-spec.ts';
import type { TemplateRef } from '../../shared/api/topology-parts.ts';

/** The use of a template, in the terms of patch selectors. */
export type Use =
  | { readonly for: 'infrastructureCluster' | 'controlPlane' | 'remediation' }
  | { readonly for: 'machineDeploymentClass' | 'machinePoolClass'; readonly class: string };

export interface UsedTemplate {
  /** The field of the class that contains the reference. */
  readonly field: string;
  readonly reference: TemplateRef;
  readonly use: Use;
}

/** Returns every template that the class references. */
export function templatesOf({ infrastructure, controlPlane, workers }: ClassSpec): readonly UsedTemplate[] {
  const found: UsedTemplate[] = [];
  const note = (field: string, { templateRef: reference }: { readonly templateRef: TemplateRef }, use: Use): void => {
    if (reference.name !== '') {
      found.push({ field: `${field}.templateRef`, reference, use });
    }
  };
  const noteWorker = (
    field: string,
    { bootstrap, infrastructure: machines }: MachineDeploymentClass | MachinePoolClass,
    use: Use,
  ): void => {
    note(`${field}.bootstrap`, bootstrap, use);
    note(`${field}.infrastructure`, machines, use);
  };
  note('spec.infrastructure', infrastructure, { for: 'infrastructureCluster' });
  note('spec.controlPlane', controlPlane, { for: 'controlPlane' });
  note('spec.controlPlane.machineInfrastructure', controlPlane.machineInfrastructure, { for: 'controlPlane' });
  note('spec.controlPlane.healthCheck.remediation', readHealthCheck(controlPlane.healthCheck).remediation, {
    for: 'remediation',
  });
  for (const worker of workers.machineDeployments) {
    const field = `spec.workers.machineDeployments[${worker.class}]`;
    noteWorker(field, worker, { for: 'machineDeploymentClass', class: worker.class });
    note(`${field}.healthCheck.remediation`, readHealthCheck(worker.healthCheck).remediation, { for: 'remediation' });
  }
  for (const worker of workers.machinePools) {
    noteWorker(`spec.workers.machinePools[${worker.class}]`, worker, { for: 'machinePoolClass', class: worker.class });
  }
  return found;
}
