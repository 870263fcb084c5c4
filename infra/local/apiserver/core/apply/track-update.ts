// Who owns which fields after a create, an update or a patch that is not an apply.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#ownership-and-field-managers
import type { JsonObject } from '../json.ts';
import { toTimestamp } from '../object.ts';
import { type Comparison, compare, withoutPaths } from './compare.ts';
import { inTermsOf } from './drift.ts';
import { difference, type Fields, union } from './field-set.ts';
import {
  capped,
  entriesOf,
  entryOf,
  inOrder,
  isBy,
  type ManagedEntry,
  mapFields,
  readSentEntries,
  sameOrNew,
  type Writer,
  withoutManagedFields,
} from './managed-fields.ts';
import { deduced, type MergeType } from './merge-type.ts';
import { neverOwned, type Write } from './write.ts';

export interface Update extends Write {
  /** As it will be stored; its managed fields are not looked at. */
  readonly updated: JsonObject;
  /** `metadata.managedFields` of the request, as it came. Left aside for subresources. */
  readonly sent?: unknown;
}

/** The managed fields that the updated object has. Those of live where nothing changes; none where nobody keeps track of the object. */
export function trackUpdate(update: Update): readonly ManagedEntry[] {
  const { live, sent, subresource } = update;
  const before = entriesOf(live);
  const wanted = subresource === '' ? readSentEntries(sent, update.zero !== undefined) : 'none';
  const entries = wanted === 'none' ? before : wanted === 'clear' ? [] : wanted;
  const isUntracked = entries.length === 0 && !Array.isArray(wanted);
  return isUntracked && live !== undefined ? [] : tracked(update, entries);
}

/** Entries after the update; the very same list where it leaves no trace. */
export function tracked(update: Update, entries: readonly ManagedEntry[]): readonly ManagedEntry[] {
  const live = withoutManagedFields(update.live ?? update.zero ?? {});
  const updated = withoutManagedFields(update.updated);
  const compared = comparisons(update, live, updated);
  const writer: Writer = { ...update, operation: 'Update' };
  const { added, modified } = compared(update.apiVersion) ?? {};
  const mine = difference(union(added, modified), neverOwned);
  const left = disowned(withoutDrift(update, entries), compared);
  const next = mine === undefined ? left : withMine(left, { writer, mine, time: toTimestamp(update.now) });
  return sameOrNew(entries, inOrder(capped(next)));
}

/** The entries in terms of the schemas of today. */
export function withoutDrift({ typeOf }: Write, entries: readonly ManagedEntry[]): readonly ManagedEntry[] {
  return mapFields(entries, ({ apiVersion, fieldsV1 }) => {
    const type = typeOf(apiVersion);
    return type === undefined ? fieldsV1 : inTermsOf(type, fieldsV1);
  });
}

interface Mine {
  readonly writer: Writer;
  readonly mine: NonNullable<Fields>;
  readonly time: string;
}

function withMine(entries: readonly ManagedEntry[], { writer, mine, time }: Mine): readonly ManagedEntry[] {
  const previous = entries.find(entry => isBy(entry, writer));
  const fields = union(previous?.fieldsV1, mine) ?? mine;
  return [...entries.filter(entry => entry !== previous), { ...entryOf(writer, fields), time }];
}

/** What was changed or taken away is nobody's any more; entries of versions that are gone go too. */
export function disowned(
  entries: readonly ManagedEntry[],
  compared: (apiVersion: string) => Comparison | undefined,
): readonly ManagedEntry[] {
  return mapFields(entries, ({ apiVersion, fieldsV1 }) => {
    const comparison = compared(apiVersion);
    return comparison === undefined
      ? undefined
      : [comparison.added, comparison.modified, comparison.removed].reduce(difference, fieldsV1);
  });
}

/** What changed, by the rules of each version. What the main resource resets counts as unchanged in its own version alone, as on real servers. */
export function comparisons(
  { typeOf, reset, subresource, apiVersion: requested }: Write,
  left: JsonObject,
  right: JsonObject,
): (apiVersion: string) => Comparison | undefined {
  const known = new Map<string, Comparison>();
  return apiVersion => {
    const type = typeOf(apiVersion);
    if (type === undefined) {
      return undefined;
    }
    const comparison =
      known.get(apiVersion) ??
      withoutPaths(compare(type, left, right), apiVersion === requested || subresource !== '' ? reset : undefined);
    known.set(apiVersion, comparison);
    return comparison;
  };
}

/** The rules of the request's version; where it has none, nothing is known. */
export function typeOfWrite({ typeOf, apiVersion }: Write): MergeType {
  return typeOf(apiVersion) ?? deduced;
}
