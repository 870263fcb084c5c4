// The texts of errors when a part of the desired state cannot be computed.
import { type Checked, invalid, quote, toDisplayName, valid } from '@capi-serverless/apimachinery';
import type { Blueprint, WorkerTemplates } from '../../../../shared/topology/model/blueprint.ts';

export type WorkerKind = 'MachineDeployment' | 'MachinePool';

/** The spelling "Depoyment" is upstream's. */
const workerWords: Readonly<Record<WorkerKind, string>> = {
  MachineDeployment: 'failed to compute MachineDeployments: failed to compute MachineDepoyment for topology',
  MachinePool: 'failed to compute MachinePools: failed to compute MachinePool for topology',
};

export function workerProblem(kind: WorkerKind, topologyName: string, cause: string): string {
  return `${workerWords[kind]} ${quote(topologyName)}: ${cause}`;
}

/** Returns the class of a worker topology. */
export function findClass<Class>(
  topology: { readonly name: string; readonly class: string },
  kind: WorkerKind,
  of: { readonly classes: ReadonlyMap<string, WorkerTemplates<Class>>; readonly className: Blueprint['className'] },
): Checked<WorkerTemplates<Class>> {
  const found = of.classes.get(topology.class);
  if (found !== undefined) {
    return valid(found);
  }
  const where = toDisplayName(of.className);
  return invalid(
    workerProblem(kind, topology.name, `${kind} class ${topology.class} not found in ClusterClass ${where}`),
  );
}
