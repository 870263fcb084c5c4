// Removes fields that the manager applied last time and that no manager applies now.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
import { difference, intersection, type OptionalFieldSet, union } from './field-set.ts';
import { fieldsOf } from './fields-of-value.ts';
import type { MergeType } from './merge-type.ts';
import { removeFields } from './remove.ts';
import { withStructs } from './structs.ts';
import { neverOwned } from './write.ts';

interface Pruning {
  readonly type: MergeType;
  /** The fields of the manager's last apply. */
  readonly last: OptionalFieldSet;
  /**
   * The fields that the manager applies now, then the fields of other owners. Each set includes the struct fields above
   * them.
   */
  readonly owned: readonly OptionalFieldSet[];
}

/** Returns the object without the abandoned fields. A field without an owner is removed only with its container. */
export function prune(object: unknown, { type, last, owned }: Pruning): unknown {
  const wanted = difference(withStructs(type, last), neverOwned);
  if (owned.reduce(difference, wanted) === undefined) {
    return object;
  }
  const kept = owned.reduce(union, neverOwned);
  const pathsOf = (value: unknown): OptionalFieldSet => withStructs(type, fieldsOf(type, value));
  const all = pathsOf(object);
  // A struct that a manager applies is removed if it contains only empty lists.
  const bare = pathsOf(removeFields(type, object, wanted));
  const left = pathsOf(removeFields(type, object, difference(all, union(bare, kept))));
  return removeFields(type, object, intersection(difference(all, left), wanted));
}
