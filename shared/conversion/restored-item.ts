// Finds the item of the annotation that an item of a list came from.
import { memberOf } from '@capi-serverless/apimachinery';
import type { FieldType } from './shape.ts';

/** The fields that identify an item. Items of other lists are identified by their position. */
const identities: Readonly<Record<string, string>> = {
  'v1beta2.ClusterClassPatch': 'name',
  'v1beta2.ClusterClassVariable': 'name',
  'v1beta2.ClusterClassStatusVariable': 'name',
  'v1beta2.ClusterClassStatusVariableDefinition': 'from',
};
const onlyIfEquallyMany = 'v1beta2.PatchDefinition';

/** Returns the counterpart of `list[index]` in the annotation, or `undefined`. */
export function restoredItem(
  { to }: { readonly to: FieldType },
  list: readonly unknown[],
  index: number,
  restored: unknown,
): unknown {
  if (!Array.isArray(restored)) {
    return undefined;
  }
  const name = to.is === 'struct' ? to.name : '';
  const identity = identities[name];
  if (identity !== undefined) {
    const own = memberOf(list[index], identity);
    return restored.find(item => memberOf(item, identity) === own);
  }
  return name === onlyIfEquallyMany && restored.length !== list.length ? undefined : restored[index];
}
