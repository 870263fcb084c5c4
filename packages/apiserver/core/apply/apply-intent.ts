// Server-side apply. Computes the new object and the field owners after a manager applies its complete intent.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/
import { type JsonObject, sameJson } from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { typeProblems } from './check-type.ts';
import type { Comparison } from './compare.ts';
import { difference, differenceBelow, intersection, type OptionalFieldSet, pathsOf, union } from './field-set.ts';
import { fieldsOf } from './fields-of-value.ts';
import {
  type EntryWriter,
  entriesOf,
  entryOf,
  inOrder,
  isBy,
  type ManagedEntry,
  sameOrNew,
  withoutManagedFields,
} from './managed-fields.ts';
import { merge } from './merge.ts';
import type { MergeType } from './merge-type.ts';
import { toPathText } from './path-element.ts';
import { removeFields } from './remove.ts';
import { withStructs } from './structs.ts';
import { comparisons, disowned, tracked, typeOfWrite, withoutDrift } from './track-update.ts';
import { neverOwned, type Write } from './write.ts';

interface Apply extends Write {
  /** The complete intent of the manager, without managed fields. */
  readonly intent: JsonObject;
  /** Takes ownership of conflicting fields. */
  readonly force: boolean;
}

export type AppliedIntent =
  | {
      readonly kind: 'applied';
      /** The object before defaulting, without managed fields. */
      readonly object: JsonObject;
      readonly managedFields: readonly ManagedEntry[];
    }
  | { readonly kind: 'conflicts'; readonly conflicts: readonly ApplyConflict[] }
  /** The error if the intent does not match the schema. */
  | { readonly kind: 'misfit'; readonly problems: readonly string[] };

/** A field that another manager owns with another value. */
interface ApplyConflict {
  /** The text in the form `conflict with "m1"`. */
  readonly message: string;
  /** The path in the form `.spec.items[name="p"].v`. */
  readonly field: string;
}

const beforeFirstApply = 'before-first-apply';

export function applyIntent(apply: Apply): AppliedIntent {
  const { intent, live } = apply;
  const type = typeOfWrite(apply);
  const problems = typeProblems(type, intent);
  if (problems.length > 0) {
    return { kind: 'misfit', problems };
  }
  const writer: EntryWriter = { ...apply, operation: 'Apply' };
  const { entries, last } = startOf(apply, writer);
  const fields = differenceBelow(fieldsOf(type, intent), apply.reset);
  const others = entries.filter(entry => entry !== last);
  // True: apiVersion, kind and metadata are never removed, so the result is an object.
  const object = pruned(apply, merge(type, live ?? {}, intent), { last, others, fields }) as JsonObject;
  const compared = comparisons(apply, live ?? {}, object);
  const conflicts = apply.force ? [] : conflictsOf(others, compared);
  if (conflicts.length > 0) {
    return { kind: 'conflicts', conflicts };
  }
  const time = live === undefined || !sameJson(live, object) ? toTimestamp(apply.now) : last?.time;
  const own = ownEntry(writer, { fields: difference(fields, neverOwned), last, time });
  const left = disowned(others, compared);
  return {
    kind: 'applied',
    object: withoutManagedFields(object),
    managedFields: sameOrNew(entriesOf(live), inOrder(own === undefined ? left : [...left, own])),
  };
}

interface Said {
  readonly fields: OptionalFieldSet;
  readonly last: ManagedEntry | undefined;
  readonly time: string | undefined;
}

/** Returns the unchanged entry of the last apply if the manager applies the same fields. */
function ownEntry(writer: EntryWriter, { fields, last, time }: Said): ManagedEntry | undefined {
  if (fields === undefined) {
    return undefined;
  }
  const isSame = last !== undefined && sameJson(last.fieldsV1, fields);
  if (isSame && last.time === time && last.apiVersion === writer.apiVersion) {
    return last;
  }
  const entry = entryOf(writer, isSame ? last.fieldsV1 : fields);
  return time === undefined ? entry : { ...entry, time };
}

/** On its first apply, a separate manager becomes the owner of the fields of an untracked object. */
function startOf(
  apply: Apply,
  writer: EntryWriter,
): { readonly entries: readonly ManagedEntry[]; readonly last: ManagedEntry | undefined } {
  const { live } = apply;
  const known = entriesOf(live);
  const entries =
    known.length > 0 || live === undefined
      ? withoutDrift(apply, known)
      : tracked({ ...apply, live: undefined, updated: live, manager: beforeFirstApply }, []);
  return { entries, last: entries.find(entry => isBy(entry, writer)) };
}

interface Owners {
  readonly last: ManagedEntry | undefined;
  readonly others: readonly ManagedEntry[];
  /** Returns the fields that the manager applies now. */
  readonly fields: OptionalFieldSet;
}

/**
 * Removes fields that the manager applied last time and that no manager applies now.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
function pruned(apply: Apply, merged: unknown, { last, others, fields }: Owners): unknown {
  const type = last === undefined ? undefined : apply.typeOf(last.apiVersion);
  if (last === undefined || type === undefined) {
    return merged;
  }
  const owned = others.map(({ apiVersion, fieldsV1 }) => withStructs(apply.typeOf(apiVersion) ?? type, fieldsV1));
  return prune(merged, {
    type,
    last: last.fieldsV1,
    owned: [withStructs(typeOfWrite(apply), fields), ...owned],
  });
}

function conflictsOf(
  entries: readonly ManagedEntry[],
  compared: (apiVersion: string) => Comparison | undefined,
): readonly ApplyConflict[] {
  return entries.flatMap(entry => {
    const { added, modified } = compared(entry.apiVersion) ?? {};
    const message = toMessage(entry);
    return pathsOf(intersection(entry.fieldsV1, union(added, modified))).map(path => ({
      message,
      field: toPathText(path),
    }));
  });
}

function toMessage({ manager, subresource, operation, apiVersion }: ManagedEntry): string {
  const through = subresource === undefined ? '' : ` with subresource "${subresource}"`;
  const using = operation === 'Update' ? ` using ${apiVersion}` : '';
  return `conflict with ${JSON.stringify(manager)}${through}${using}`;
}

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
function prune(object: unknown, { type, last, owned }: Pruning): unknown {
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
