// Reads every template that a ClusterClass references, in parallel. If several are missing, returns the error of the
// first one in the order of the class.
import {
  all,
  allInOrder,
  type Checked,
  invalid,
  mapChecked,
  prefixed,
  toDisplayName,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import { isDefinedTemplateRef } from '../../../shared/api/topology-parts.ts';
import type { WorkerTemplates } from '../../../shared/topology/model/blueprint.ts';
import {
  type ClassReference,
  toClassReferences,
  type WorkerReferences,
} from '../../../shared/topology/model/class-references.ts';
import { type Templates, type TopologySource, toTemplates, toWorkerTemplates } from '../plan/class-templates.ts';
import type { PassReads } from './pass-reads.ts';
import { retrieve } from './retrieve.ts';

/** Errors name the template and the class. The caller adds the prefix of the step. */
export async function readBlueprint(source: TopologySource, ask: PassReads): Promise<Checked<Templates>> {
  const { classSpec, className } = source;
  const references = toClassReferences(classSpec);
  const read = (reference: ClassReference) => readTemplate(reference, className, ask);
  const [infrastructureCluster, controlPlane, machine, machineDeployments, machinePools] = await Promise.all([
    read(references.infrastructureCluster),
    read(references.controlPlane),
    references.controlPlaneMachine === undefined ? valid(undefined) : read(references.controlPlaneMachine),
    readWorkers(classSpec.workers.machineDeployments, references.machineDeployments, read),
    readWorkers(classSpec.workers.machinePools, references.machinePools, read),
  ]);
  const templates = all({ infrastructureCluster, controlPlane, machine, machineDeployments, machinePools });
  return mapChecked(templates, found => toTemplates(source, found));
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
    references.map(async each => {
      const [infrastructure, bootstrap] = await Promise.all([read(each.infrastructure), read(each.bootstrap)]);
      return all({ infrastructure, bootstrap });
    }),
  );
  return mapChecked(allInOrder(templates), list => toWorkerTemplates(classes, list));
}
