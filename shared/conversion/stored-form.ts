// Objects of files in the version that is stored.
import { type Checked, groupOf, type Intent, mapChecked, valid, versionOf } from '@capi-serverless/apimachinery';
import { type ConvertedObject, convert, noApiVersion } from './convert.ts';
import { findConvertible, storedVersion } from './kinds.ts';

interface StoredForm<T> {
  readonly object: T;
  /** The warning of an API server about the version. Absent if the object has the stored version. */
  readonly deprecation?: string;
}

/** Returns true if the object is of a kind of Cluster API, in a version other than the stored one. */
export function isInOlderVersion({ apiVersion, kind }: Pick<Intent, 'apiVersion' | 'kind'>): boolean {
  return findConvertible(groupOf(apiVersion), kind)?.olderVersions.includes(versionOf(apiVersion)) === true;
}

/**
 * Converts an object of an older version. Other objects are returned unchanged. An object without status, as most files
 * contain, gets none.
 */
export function toStoredForm<T extends ConvertedObject>(object: T): Checked<StoredForm<T>> {
  if (!isInOlderVersion(object)) {
    return valid({ object });
  }
  const { apiVersion, kind } = object;
  const current = `${groupOf(apiVersion)}/${storedVersion}`;
  const deprecation = `${apiVersion} ${kind} is deprecated; use ${current} ${kind}`;
  return mapChecked(convert(object, storedVersion, noApiVersion), converted => ({
    object: 'status' in object ? converted : withoutStatus(converted),
    deprecation,
  }));
}

function withoutStatus<T extends ConvertedObject>(object: T): T {
  const { status: _, ...others } = object;
  return others as unknown as T; // true: the status is optional in all kinds
}
