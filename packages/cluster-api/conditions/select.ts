// Selects stored conditions by their types, as they are stored.
import { memberOf, valueAt } from '@capi-serverless/apimachinery';

/** Returns the items of the list at a dotted path whose type is wanted. None if there is no list. */
export function selectConditions(
  object: unknown,
  path: string,
  isWanted: (type: unknown) => boolean,
): readonly unknown[] {
  const list = valueAt(object, path);
  return Array.isArray(list) ? list.filter(item => isWanted(memberOf(item, 'type'))) : [];
}
