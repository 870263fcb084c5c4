// The templates that a ClusterClass refers to, each with the field that does.
import type { ClassSpec, PoolClass, TemplateRef } from '../../../shared/admission/class.ts';

/** What a template is used for, as selectors of patches tell it. */
export type Use =
  | { readonly for: 'infrastructureCluster' | 'controlPlane' | 'remediation' }
  | { readonly for: 'machineDeploymentClass' | 'machinePoolClass'; readonly class: string };

export interface Template {
  /** Where the class refers to it. */
  readonly field: string;
  readonly reference: TemplateRef;
  readonly use: Use;
}

/** Every template that the class refers to. */
export function templatesOf({ infrastructure, controlPlane, workers }: ClassSpec): readonly Template[] {
  const found: Template[] = [];
  const note = (field: string, { templateRef: reference }: { readonly templateRef: TemplateRef }, use: Use): void => {
    if (reference.name !== '') {
      found.push({ field: `${field}.templateRef`, reference, use });
    }
  };
  const noteWorker = (field: string, { bootstrap, infrastructure: machines }: PoolClass, use: Use): void => {
    note(`${field}.bootstrap`, bootstrap, use);
    note(`${field}.infrastructure`, machines, use);
  };
  note('spec.infrastructure', infrastructure, { for: 'infrastructureCluster' });
  note('spec.controlPlane', controlPlane, { for: 'controlPlane' });
  note('spec.controlPlane.machineInfrastructure', controlPlane.machineInfrastructure, { for: 'controlPlane' });
  note('spec.controlPlane.healthCheck.remediation', controlPlane.healthCheck.remediation, { for: 'remediation' });
  for (const worker of workers.machineDeployments) {
    const field = `spec.workers.machineDeployments[${worker.class}]`;
    noteWorker(field, worker, { for: 'machineDeploymentClass', class: worker.class });
    note(`${field}.healthCheck.remediation`, worker.healthCheck.remediation, { for: 'remediation' });
  }
  for (const worker of workers.machinePools) {
    noteWorker(`spec.workers.machinePools[${worker.class}]`, worker, { for: 'machinePoolClass', class: worker.class });
  }
  return found;
}
