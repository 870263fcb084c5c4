// Objects that were made before Cluster API v1.12 have labels and annotations that belong to the manager of their spec. The
// manager of the metadata must own them, or the set could never remove them.
import { type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import {
  isApplyOf,
  type ManagedFieldsRepair,
  managedFieldsOf,
  nameOnly,
  rawEntries,
  toFields,
  toRepair,
} from '../../../../shared/server-side-apply/managed-fields.ts';

/** The field manager of Machines, and of the spec of their objects. */
export const machineSetManager = 'capi-machineset';
/** The field manager of the labels and annotations of infrastructure machines and bootstrap configs. */
export const metadataManager = 'capi-machineset-metadata';

const isSpecApply = isApplyOf(machineSetManager);

/** Returns `undefined` if the object needs no migration. */
export function migrateManagedFields(object: Unstructured): ManagedFieldsRepair | undefined {
  const entries = managedFieldsOf(object);
  const isOld = entries.some(entry => isSpecApply(entry) && ownsClusterName(entry.fieldsV1));
  if (!isOld) {
    return undefined;
  }
  const stored = rawEntries(object);
  const kept = stored.filter(entry => !isReplaced(entry));
  const ours = { manager: metadataManager, operation: 'Apply', ...toFields(object, nameOnly) };
  return toRepair(object, [...kept, ours]);
}

function ownsClusterName(fieldsV1: unknown): boolean {
  const labels = valueAt(fieldsV1, 'f:metadata.f:labels');
  return typeof labels === 'object' && labels !== null && `f:${clusterNameLabel}` in labels;
}

function isReplaced({ manager, operation, subresource }: Readonly<Record<string, unknown>>): boolean {
  const isPlain = subresource === undefined || subresource === '';
  return (
    isPlain &&
    ((manager === machineSetManager && operation === 'Apply') || (manager === 'manager' && operation === 'Update'))
  );
}
