// Small steps that every read of a topology takes.
import { type Checked, invalid, valid } from '../../../shared/api/checked.ts';
import { type ObjectRef, toDisplayName, type Unstructured } from '../../../shared/api/object.ts';
import type { PassReads } from './pass-reads.ts';

/** The object, or why not: `failed to retrieve Kind ns/name: …`, twice, as upstream says it. */
export async function retrieve(ref: ObjectRef, ask: PassReads): Promise<Checked<Unstructured>> {
  const answer = await ask.get(ref);
  if (answer.ok) {
    return valid(answer.value);
  }
  const problem = `failed to retrieve ${ref.kind} ${toDisplayName(ref)}`;
  return invalid(`${problem}: ${problem}: ${answer.failure.message}`);
}

/** The first error in the order given, or all values. */
export function allOf<T>(list: readonly Checked<T>[]): Checked<readonly T[]> {
  const values: T[] = [];
  for (const each of list) {
    if (!each.ok) {
      return each;
    }
    values.push(each.value);
  }
  return valid(values);
}

export function prefixed<T>(checked: Checked<T>, prefix: string): Checked<T> {
  return checked.ok ? checked : invalid(`${prefix}: ${checked.error}`);
}
