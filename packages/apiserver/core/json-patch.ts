// JSON patches of stored objects. Either all operations are applied or none.
import type { JsonObject } from '@capi-serverless/apimachinery';
import { JsonDocument, PatchError, perform, readOperation } from '@capi-serverless/apimachinery/json-patch';
import { toJson } from './json.ts';

/** kube-apiserver limits the total size of all copies of one patch. */
const maxCopiedBytes = 3 * 1024 * 1024;

class StoredDocument extends JsonDocument {
  #copiedBytes = 0;

  override copyOf(value: unknown): unknown {
    this.#copiedBytes += JSON.stringify(value).length;
    if (this.#copiedBytes > maxCopiedBytes) {
      throw new PatchError(`copies more than ${maxCopiedBytes} bytes`);
    }
    return super.copyOf(value);
  }
}

/**
 * Returns the target after all operations. No argument is changed. Throws PatchError with the operation and the
 * problem.
 */
export function applyJsonPatch(target: JsonObject, operations: readonly unknown[]): JsonObject {
  const document = new StoredDocument(target);
  for (const [index, raw] of operations.entries()) {
    const operation = readOperation(toJson(raw));
    if (!operation.ok) {
      throw new PatchError(`operation ${index}: ${operation.error}`);
    }
    try {
      perform(document, operation.value);
    } catch (error) {
      throw error instanceof PatchError ? new PatchError(`operation ${index}: ${error.message}`) : error;
    }
  }
  return document.share();
}
