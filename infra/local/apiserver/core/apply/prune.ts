// Takes out of an object what its manager wanted last time, and nobody wants any more.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
import { difference, type Fields, intersection, union } from './field-set.ts';
import { fieldsOf } from './fields-of-value.ts';
import type { MergeType } from './merge-type.ts';
import { removeFields } from './remove.ts';
import { withStructs } from './structs.ts';
import { neverOwned } from './write.ts';

export interface Pruning {
  readonly type: MergeType;
  /** What the manager applied last. */
  readonly last: Fields;
  /** What it applies now, then what others own; each with the fields of structs that lead there. */
  readonly owned: readonly Fields[];
}

/** The object without what is abandoned. What nobody ever owned goes only with a container that goes. */
export function prune(object: unknown, { type, last, owned }: Pruning): unknown {
  const wanted = difference(withStructs(type, last), neverOwned);
  if (owned.reduce(difference, wanted) === undefined) {
    return object;
  }
  const kept = owned.reduce(union, neverOwned);
  const pathsOf = (value: unknown): Fields => withStructs(type, fieldsOf(type, value));
  const all = pathsOf(object);
  // A struct that somebody wants to be there goes all the same when only lists without items are left in it.
  const bare = pathsOf(removeFields(type, object, wanted));
  const left = pathsOf(removeFields(type, object, difference(all, union(bare, kept))));
  return removeFields(type, object, intersection(difference(all, left), wanted));
}
