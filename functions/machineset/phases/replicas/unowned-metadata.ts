// New infrastructure machines and bootstrap configs: the manager of their spec must not own labels and annotations. The
// next pass applies these as another manager, which can then remove them. The annotations that name the template are
// owned by no manager, so that no apply removes them.
import { isJsonObject, type JsonObject, toRecord, type Unstructured } from '@capi-serverless/apimachinery';
import { type ManagedFieldsRepair, rawEntries, toRepair } from '../../../../shared/server-side-apply/managed-fields.ts';
import { machineSetManager } from '../propagation/field-migration.ts';

const metadataFields = ['f:labels', 'f:annotations'];

/** Returns `undefined` if the manager owns neither labels nor annotations. */
export function withoutOwnedMetadata(object: Unstructured): ManagedFieldsRepair | undefined {
  const entries = rawEntries(object);
  return entries.some(ownsMetadata)
    ? toRepair(
        object,
        entries.map(entry => (ownsMetadata(entry) ? without(entry) : entry)),
      )
    : undefined;
}

function ownsMetadata({ manager, operation, fieldsV1 }: JsonObject): boolean {
  const metadata = toRecord(fieldsV1)['f:metadata'];
  return (
    manager === machineSetManager &&
    operation === 'Apply' &&
    isJsonObject(metadata) &&
    metadataFields.some(field => field in metadata)
  );
}

function without(entry: JsonObject): JsonObject {
  const { 'f:metadata': metadata, ...fields } = toRecord(entry['fieldsV1']);
  const { 'f:labels': _, 'f:annotations': _annotations, ...rest } = toRecord(metadata);
  return { ...entry, fieldsV1: { ...fields, ...(Object.keys(rest).length === 0 ? {} : { 'f:metadata': rest }) } };
}
