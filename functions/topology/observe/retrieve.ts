// Reads one object that a topology needs.
import {
  type Checked,
  invalid,
  type ObjectRef,
  toDisplayName,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import type { PassReads } from './pass-reads.ts';

/**
 * Returns the object or an error. As in upstream, the error contains the text `failed to retrieve Kind ns/name: …`
 * twice.
 */
export async function retrieve(ref: ObjectRef, ask: PassReads): Promise<Checked<Unstructured>> {
  const answer = await ask.get(ref);
  if (answer.ok) {
    return valid(answer.value);
  }
  const problem = `failed to retrieve ${ref.kind} ${toDisplayName(ref)}`;
  return invalid(`${problem}: ${problem}: ${answer.failure.message}`);
}
