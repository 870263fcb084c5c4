// The body of a request that creates the object of a manifest.
import { type JsonObject, type ObjectRef, toRecord } from '@capi-serverless/apimachinery';

/** Returns the object as it is, but without a namespace if its kind has none, and without an empty name. */
export function toManifestBody(object: JsonObject, { namespace, name }: ObjectRef): JsonObject {
  const { namespace: itsNamespace, name: itsName, ...metadata } = toRecord(object['metadata']);
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(namespace === undefined ? {} : { namespace: itsNamespace }),
      ...(name === '' ? {} : { name: itsName }),
    },
  };
}
