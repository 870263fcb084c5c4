// Computes field ownership after a create, update or patch that is not an apply.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#ownership-and-field-managers

import type { JsonObject } from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { type Comparison, compare, withoutPaths } from './compare.ts';
import { inTermsOf } from './drift.ts';
import { difference, type OptionalFieldSet, union } from './field-set.ts';
import {
  capped,
  type EntryWriter,
  entriesOf,
  entryOf,
  inOrder,
  isBy,
  type ManagedEntry,
  mapFields,
  readSentEntries,
  sameOrNew,
  withoutManagedFields,
} from './managed-fields.ts';
import { deduced, type MergeType } from './merge-type.ts';
import { neverOwned, type Write } from './write.ts';

interface Update extends Write {
  /** The object to store. Its managed fields are ignored. */
  readonly updated: JsonObject;
  /** The `metadata.managedFields` of the request. Ignored for subresources. */
  readonly sent?: unknown;
}

/**
 * Returns the managed fields of the updated object. They are those of `live` if nothing changes, and empty if the
 * object is untracked.
 */
export function trackUpdate(update: Update): readonly ManagedEntry[] {
  const { live, sent, subresource } = update;
  const before = entriesOf(live);
  const wanted = subresource === '' ? readSentEntries(sent, update.zero !== undefined) : 'none';
  const entries = wanted === 'none' ? before : wanted === 'clear' ? [] : wanted;
  const isUntracked = entries.length === 0 && !Array.isArray(wanted);
  return isUntracked && live !== undefined ? [] : tracked(update, entries);
}

/** Returns the entries after the update, or the same list if the update changes nothing. */
export function tracked(update: Update, entries: readonly ManagedEntry[]): readonly ManagedEntry[] {
  const live = withoutManagedFields(update.live ?? update.zero ?? {});
  const updated = withoutManagedFields(update.updated);
  const compared = comparisons(update, live, updated);
  const writer: EntryWriter = { ...update, operation: 'Update' };
  const { added, modified } = compared(update.apiVersion) ?? {};
  const mine = difference(union(added, modified), neverOwned);
  const left = disowned(withoutDrift(update, entries), compared);
  const next = mine === undefined ? left : withMine(left, { writer, mine, time: toTimestamp(update.now) });
  return sameOrNew(entries, inOrder(capped(next)));
}

/** Returns the entries under the current schemas. */
export function withoutDrift({ typeOf }: Write, entries: readonly ManagedEntry[]): readonly ManagedEntry[] {
  return mapFields(entries, ({ apiVersion, fieldsV1 }) => {
    const type = typeOf(apiVersion);
    return type === undefined ? fieldsV1 : inTermsOf(type, fieldsV1);
  });
}

interface Mine {
  readonly writer: EntryWriter;
  readonly mine: NonNullable<OptionalFieldSet>;
  readonly time: string;
}

function withMine(entries: readonly ManagedEntry[], { writer, mine, time }: Mine): readonly ManagedEntry[] {
  const previous = entries.find(entry => isBy(entry, writer));
  const fields = union(previous?.fieldsV1, mine) ?? mine;
  return [...entries.filter(entry => entry !== previous), { ...entryOf(writer, fields), time }];
}

/** Removes changed or removed fields, and entries of versions that are no longer served. */
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

/**
 * Compares by the rules of each version. For the main resource, reset fields are ignored only in the version of the
 * request, as upstream.
 */
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

/** The type of the version in the request. Without a version, the deduced type. */
export function typeOfWrite({ typeOf, apiVersion }: Write): MergeType {
  return typeOf(apiVersion) ?? deduced;
}
