// The references of a MachineDeployment or MachinePool of a topology, and the versions of the referenced objects in the
// class.

import {
  all,
  type Checked,
  invalid,
  mapChecked,
  type Unstructured,
  valid,
  valueAt,
} from '@capi-serverless/apimachinery';
import { type ContractReference, isDefined } from '../../../../shared/api/cluster/reader.ts';
import { section, textOrEmpty } from '../../../../shared/api/fields.ts';
import type { TemplateRef } from '../../../../shared/api/topology-parts.ts';
import { deploymentNameLabel, poolNameLabel } from '../../../../shared/topology/model/keys.ts';
import { nameObject } from '../change-texts.ts';
import type { TopologySource } from '../class-templates.ts';

/** The differences between the two kinds of workers. */
export interface WorkerTraits {
  readonly kind: 'MachineDeployment' | 'MachinePool';
  readonly list: 'machineDeployments' | 'machinePools';
  /** The label that holds the topology name. */
  readonly label: string;
  readonly names: 'template' | 'object';
  /** The name of the infrastructure reference in errors. */
  readonly infrastructure: string;
}

export const machineDeployments: WorkerTraits = {
  kind: 'MachineDeployment',
  list: 'machineDeployments',
  label: deploymentNameLabel,
  names: 'template',
  infrastructure: 'InfrastructureMachineTemplate',
};
export const machinePools: WorkerTraits = {
  kind: 'MachinePool',
  list: 'machinePools',
  label: poolNameLabel,
  names: 'object',
  infrastructure: 'InfrastructureMachinePool',
};

/** Fails if two objects have the same topology name, or if an object has none. */
export function byTopologyName(
  objects: readonly Unstructured[],
  { label }: WorkerTraits,
): Checked<ReadonlyMap<string, Unstructured>> {
  const named = new Map<string, Unstructured>();
  for (const object of objects) {
    const name = object.metadata.labels?.[label] ?? '';
    if (name === '') {
      return invalid(`failed to find label ${label} in ${nameObject(object)}`);
    }
    if (named.has(name)) {
      return invalid(`duplicate ${nameObject(object)} found for label ${label}: ${name}`);
    }
    named.set(name, object);
  }
  return valid(named);
}

/** A reference of a worker, and the reference in the class from which its object was created. */
export interface WorkerReference {
  readonly ref: ContractReference;
  readonly from: TemplateRef;
}

interface WorkerReferences {
  readonly bootstrap: WorkerReference;
  readonly infrastructure: WorkerReference;
}

/** Fails if a reference is not set, or if the class of the worker does not exist. */
export function toWorkerReferences(
  source: TopologySource,
  of: WorkerTraits,
  { topologyName, object }: { readonly topologyName: string; readonly object: Unstructured },
): Checked<WorkerReferences> {
  const bootstrap = reference.parse(valueAt(object.spec, 'template.spec.bootstrap.configRef'));
  const infrastructure = reference.parse(valueAt(object.spec, 'template.spec.infrastructureRef'));
  const references = all({
    bootstrap: checkDefined(bootstrap, object, 'Bootstrap Config'),
    infrastructure: checkDefined(infrastructure, object, of.infrastructure),
  });
  return references.ok
    ? mapChecked(originsOf(source, of, topologyName), from => ({
        bootstrap: { ref: bootstrap, from: from.bootstrap },
        infrastructure: { ref: infrastructure, from: from.infrastructure },
      }))
    : references;
}

const reference = section({ apiGroup: textOrEmpty, kind: textOrEmpty, name: textOrEmpty });

function checkDefined(ref: ContractReference, object: Unstructured, what: string): Checked<ContractReference> {
  return isDefined(ref) ? valid(ref) : invalid(`${nameObject(object)} does not have a reference to a ${what}`);
}

interface Origins {
  readonly bootstrap: TemplateRef;
  readonly infrastructure: TemplateRef;
}

const unknown: TemplateRef = { apiVersion: '', kind: '', name: '' };

/**
 * Returns undefined if the topology no longer contains these workers. Then no class determines the version of a read.
 */
function originsOf({ topology, classSpec }: TopologySource, of: WorkerTraits, topologyName: string): Checked<Origins> {
  const entry = topology.workers[of.list].find(({ name }) => name === topologyName);
  if (entry === undefined) {
    return valid({ bootstrap: unknown, infrastructure: unknown });
  }
  const found = classSpec.workers[of.list].find(each => each.class === entry.class);
  return found === undefined
    ? invalid(`failed to find ${of.kind} class ${entry.class} in ClusterClass`)
    : valid({ bootstrap: found.bootstrap.templateRef, infrastructure: found.infrastructure.templateRef });
}
