// Objects in reviews as the readers of kinds expect them.
import { type JsonObject, toRecord, type Unstructured } from '@capi-serverless/apimachinery';

/** The object with the fields that every stored object has. A new object may have no name and no uid yet. */
export function toReadable(object: JsonObject): Unstructured {
  const metadata = { name: '', uid: '', resourceVersion: '', ...toRecord(object['metadata']) };
  // True: decoded objects have the kind of their hook, and an API server has decoded their metadata.
  return { ...object, metadata } as unknown as Unstructured;
}
