// Reads of objects that may not exist.
import type { ObjectRef, Reads, Unstructured } from '@capi-serverless/apimachinery';
import { UsageError } from '../local/usage-error.ts';

/** Returns `undefined` if the object does not exist. Throws UsageError if it cannot be read. */
export async function readIfPresent(client: Pick<Reads, 'get'>, ref: ObjectRef): Promise<Unstructured | undefined> {
  const answer = await client.get(ref);
  if (!answer.ok && !answer.missing) {
    throw new UsageError(`${ref.kind} ${ref.name} cannot be read: ${answer.failure.message}`);
  }
  return answer.ok ? answer.value : undefined;
}
