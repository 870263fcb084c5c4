// Reads every template that a ClusterClass names, in parallel; the first one missing in the order of the class is told.
import { type Checked, invalid, valid } from '../../../shared/api/checked.ts';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { toDisplayName, type Unstructured } from '../../../shared/api/object.ts';
import type { Blueprint, TopologyVariables, WorkerTemplates } from '../../../shared/topology/model/blueprint.ts';
import {
  type ClassReference,
  isDefinedTemplateRef,
  toClassReferences,
  type WorkerReferences,
} from '../../../shared/topology/model/class-references.ts';
import type { ClassSpec } from '../../../shared/topology/model/class-spec.ts';
import type { ClusterTopology } from '../../../shared/topology/model/cluster-topology.ts';
import type { StatusVariable } from '../../../shared/variables/index.ts';
import { allOf, prefixed, retrieve } from './checks.ts';
import type { PassReads } from './pass-reads.ts';

/** What is known before any template is read. */
export interface TopologySource {
  readonly cluster: Cluster;
  readonly topology: ClusterTopology;
  readonly variables: TopologyVariables;
  readonly className: { readonly namespace: string; readonly name: string };
  readonly classSpec: ClassSpec;
  readonly definitions: readonly StatusVariable[];
}

/** A blueprint before anybody knows which contract the control plane follows. */
export type Templates = Omit<Blueprint, 'controlPlane'> & {
  readonly controlPlane: Omit<Blueprint['controlPlane'], 'contract'>;
};

/** Errors name the template and the class, without the words for the whole step. */
export async function readBlueprint(source: TopologySource, ask: PassReads): Promise<Checked<Templates>> {
  const { classSpec, className } = source;
  const references = toClassReferences(classSpec);
  const read = (reference: ClassReference) => readTemplate(reference, className, ask);
  const [infrastructure, controlPlane, machine, deployments, pools] = await Promise.all([
    read(references.infrastructureCluster),
    read(references.controlPlane),
    references.controlPlaneMachine === undefined ? valid(undefined) : read(references.controlPlaneMachine),
    readWorkers(classSpec.workers.machineDeployments, references.machineDeployments, read),
    readWorkers(classSpec.workers.machinePools, references.machinePools, read),
  ]);
  if (!infrastructure.ok) {
    return infrastructure;
  }
  if (!controlPlane.ok) {
    return controlPlane;
  }
  if (!machine.ok) {
    return machine;
  }
  if (!deployments.ok) {
    return deployments;
  }
  if (!pools.ok) {
    return pools;
  }
  const { healthCheck } = classSpec.controlPlane;
  return valid({
    ...source,
    infrastructureCluster: { template: infrastructure.value },
    controlPlane: {
      template: controlPlane.value,
      ...(machine.value === undefined ? {} : { machineTemplate: machine.value, healthCheck }),
    },
    machineDeployments: deployments.value,
    machinePools: pools.value,
  });
}

type ClassName = TopologySource['className'];

async function readTemplate(
  { ref, toProblem }: ClassReference,
  { namespace, name }: ClassName,
  ask: PassReads,
): Promise<Checked<Unstructured>> {
  const problem = toProblem(toDisplayName({ namespace, name }));
  if (!isDefinedTemplateRef(ref)) {
    return invalid(`${problem}: reference is not set`);
  }
  return prefixed(await retrieve({ ...ref, namespace }, ask), problem);
}

async function readWorkers<Class extends { readonly class: string }>(
  classes: readonly Class[],
  references: readonly WorkerReferences[],
  read: (reference: ClassReference) => Promise<Checked<Unstructured>>,
): Promise<Checked<ReadonlyMap<string, WorkerTemplates<Class>>>> {
  const templates = await Promise.all(
    references.flatMap(({ infrastructure, bootstrap }) => [infrastructure, bootstrap]).map(read),
  );
  const all = allOf(templates);
  if (!all.ok) {
    return all;
  }
  const byClass = new Map<string, WorkerTemplates<Class>>();
  for (const [index, each] of classes.entries()) {
    const infrastructure = all.value[2 * index];
    const bootstrap = all.value[2 * index + 1];
    if (infrastructure !== undefined && bootstrap !== undefined && !byClass.has(each.class)) {
      byClass.set(each.class, { class: each, infrastructure, bootstrap });
    }
  }
  return valid(byClass);
}
