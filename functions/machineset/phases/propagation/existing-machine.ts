// The intents for an existing Machine: the Machine itself, the metadata of its objects, and the fields that also change
// while it is deleted.
import {
  type Intent,
  type JsonObject,
  type MergePatch,
  mergeDiff,
  type OwnerReference,
  toRecord,
  type Unstructured,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { clusterApiVersion } from '../../../../shared/api/cluster/reader.ts';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineSet } from '../../../../shared/api/machine-set/whole-machine-set.ts';

/** What a Machine and its objects get from their MachineSet. */
export interface MemberMetadata {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The controller reference to the MachineSet. */
  readonly owner: OwnerReference;
}

/** The finalizer of the Machine reconciler. */
export const machineFinalizer = 'machine.cluster.x-k8s.io';
/** The default of upstream, so that the deletion of a Machine ends although its Node cannot be deleted. */
const nodeDeletionTimeoutSeconds = 10;

/** The fields that a Machine keeps. A change of them needs another Machine. */
const keptFields = ['infrastructureRef', 'version', 'failureDomain'];

/** Returns the Machine as the template describes it now. It is valid for the version that was read. */
export function existingMachine(machine: WholeMachine, machineSet: WholeMachineSet, metadata: MemberMetadata): Intent {
  const { name, namespace, uid, resourceVersion, finalizers } = machine.metadata;
  return {
    apiVersion: clusterApiVersion,
    kind: 'Machine',
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      ...nonEmptyMetadata(metadata),
      finalizers: finalizers.includes(machineFinalizer) ? finalizers : [...finalizers, machineFinalizer],
      ownerReferences: [metadata.owner],
    },
    spec: specOf(machine, machineSet),
  };
}

function specOf(machine: WholeMachine, { machineSpec, spec }: WholeMachineSet): JsonObject {
  const stored = toRecord(machine.object.spec);
  const { infrastructureRef: _, version: _version, failureDomain: _domain, ...template } = machineSpec;
  const { configRef: _ref, ...bootstrap } = toRecord(template['bootstrap']);
  const kept = keptFields.filter(field => stored[field] !== undefined).map(field => [field, stored[field]]);
  const configRef = toRecord(stored['bootstrap'])['configRef'];
  return {
    ...template,
    ...Object.fromEntries(kept),
    clusterName: spec.clusterName,
    bootstrap: { ...bootstrap, ...withoutUndefined({ configRef }) },
  };
}

/**
 * Returns the metadata of an infrastructure machine or a bootstrap config. It has no resourceVersion, because its
 * provider writes the object often, and the apply owns all that it writes.
 */
export function objectMetadata({ apiVersion, kind, metadata }: Unstructured, member: MemberMetadata): Intent {
  const { name, namespace, uid } = metadata;
  const place = namespace === undefined ? { name } : { name, namespace };
  return { apiVersion, kind, metadata: { ...place, uid, ...nonEmptyMetadata(member) } };
}

function nonEmptyMetadata({ labels, annotations }: MemberMetadata) {
  return {
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

const timeouts = ['nodeDrainTimeoutSeconds', 'nodeDeletionTimeoutSeconds', 'nodeVolumeDetachTimeoutSeconds'];
const fields = ['readinessGates', 'minReadySeconds', 'taints'];

/** Returns the patch of a Machine in deletion, or `undefined` if nothing changes. */
export function deletingMachinePatch(machine: WholeMachine, { machineSpec }: WholeMachineSet): MergePatch | undefined {
  const spec = toRecord(machine.object.spec);
  const deletion = {
    ...replaced(toRecord(spec['deletion']), toRecord(machineSpec['deletion']), timeouts),
  };
  const wanted = {
    ...deletion,
    nodeDeletionTimeoutSeconds: deletion['nodeDeletionTimeoutSeconds'] ?? nodeDeletionTimeoutSeconds,
  };
  const change = mergeDiff(spec, { ...replaced(spec, machineSpec, fields), deletion: wanted });
  return change === undefined ? undefined : { spec: change };
}

/** Returns `stored` with these fields of `template`. An absent field is removed. */
function replaced(stored: JsonObject, template: JsonObject, names: readonly string[]): JsonObject {
  return { ...stored, ...Object.fromEntries(names.map(name => [name, template[name]])) };
}
