// Every template that a ClusterClass references, with the text of the error if it is missing.
import { quote } from '@capi-serverless/apimachinery';
import type { ClassSpec } from '../../api/cluster-class/class-spec.ts';
import { isDefinedTemplateRef, type TemplateRef } from '../../api/topology-parts.ts';

export interface ClassReference {
  readonly ref: TemplateRef;
  /** The prefix of the cause if the template cannot be read. `of` is the name of the class. */
  toProblem(of: string): string;
}

interface ClassReferences {
  readonly infrastructureCluster: ClassReference;
  readonly controlPlane: ClassReference;
  readonly controlPlaneMachine: ClassReference | undefined;
  /** The references in the order of the class. */
  readonly machineDeployments: readonly WorkerReferences[];
  readonly machinePools: readonly WorkerReferences[];
}

export interface WorkerReferences {
  readonly infrastructure: ClassReference;
  readonly bootstrap: ClassReference;
}

/**
 * All references, even if the topology does not use them. One missing template causes an error in every Cluster of the
 * class.
 */
export function toClassReferences({ infrastructure, controlPlane, workers }: ClassSpec): ClassReferences {
  const machine = controlPlane.machineInfrastructure.templateRef;
  return {
    infrastructureCluster: toReference(infrastructure.templateRef, 'infrastructure cluster template'),
    controlPlane: toReference(controlPlane.templateRef, 'control plane template'),
    controlPlaneMachine: isDefinedTemplateRef(machine)
      ? toReference(machine, "control plane's machine template")
      : undefined,
    machineDeployments: workers.machineDeployments.map(each =>
      toWorkerReferences(each, {
        infrastructure: 'infrastructure machine template',
        bootstrap: 'bootstrap config template',
        kind: 'MachineDeployment',
      }),
    ),
    machinePools: workers.machinePools.map(each =>
      toWorkerReferences(each, {
        infrastructure: 'InfrastructureMachinePoolTemplate',
        bootstrap: 'bootstrap config',
        kind: 'MachinePool',
      }),
    ),
  };
}

function toReference(ref: TemplateRef, what: string, where = ''): ClassReference {
  return { ref, toProblem: of => `failed to get ${what} for ClusterClass ${of}${where}` };
}

interface Words {
  readonly infrastructure: string;
  readonly bootstrap: string;
  readonly kind: string;
}

function toWorkerReferences(
  worker: Readonly<Record<'bootstrap' | 'infrastructure', { readonly templateRef: TemplateRef }>> & {
    readonly class: string;
  },
  words: Words,
): WorkerReferences {
  const where = `, ${words.kind} class ${quote(worker.class)}`;
  return {
    infrastructure: toReference(worker.infrastructure.templateRef, words.infrastructure, where),
    bootstrap: toReference(worker.bootstrap.templateRef, words.bootstrap, where),
  };
}
