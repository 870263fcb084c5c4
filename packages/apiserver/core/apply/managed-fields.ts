// The entries of `metadata.managedFields`: the fields that each manager wrote, and the operation.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
import { isJsonObject, type JsonObject, sameJson } from '@capi-serverless/apimachinery';
import { type FieldSet, leaf, type OptionalFieldSet, parseFields, union } from './field-set.ts';
import { byText } from './path-element.ts';

/** One entry as stored. */
export interface ManagedEntry {
  readonly apiVersion: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: FieldSet;
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly subresource?: string;
  /** Absent if an apply became the owner of fields without changing the object. */
  readonly time?: string;
}

/** Returns the entries of a stored object in the order of `inOrder`. */
export function entriesOf(object: JsonObject | undefined): readonly ManagedEntry[] {
  const metadata = object?.['metadata'];
  const entries = isJsonObject(metadata) ? metadata['managedFields'] : undefined;
  // True: no other type is stored under this name.
  return Array.isArray(entries) ? (entries as readonly ManagedEntry[]) : [];
}

/** The list of a client: no usable list, a request to clear the list, or new entries. */
type SentEntries = 'none' | 'clear' | readonly ManagedEntry[];

/**
 * Absent and malformed lists are ignored, so that clients without support for managed fields lose none. `[{}]` clears
 * the list. `[]` clears it for built-in kinds only, as in kube-apiserver.
 */
export function readSentEntries(sent: unknown, builtIn: boolean): SentEntries {
  if (!Array.isArray(sent)) {
    return 'none';
  }
  if (sent.length === 0) {
    return builtIn ? 'clear' : 'none';
  }
  if (sent.length === 1 && isJsonObject(sent[0]) && Object.keys(sent[0]).length === 0) {
    return 'clear';
  }
  const entries = sent.map(readEntry);
  const sound = entries.filter(entry => entry !== undefined);
  // If one writer has several entries, the last one is used.
  const distinct = new Map(sound.map(({ entry, fields }) => [identityOf(entry), { entry, fields }]));
  return sound.length < entries.length
    ? 'none'
    : inOrder([...distinct.values()].flatMap(({ entry, fields }) => (fields === undefined ? [] : [entry])));
}

interface ReadEntry {
  readonly entry: ManagedEntry;
  /** An entry may have no fields. */
  readonly fields: OptionalFieldSet;
}

function readEntry(raw: unknown): ReadEntry | undefined {
  if (!isJsonObject(raw)) {
    return undefined;
  }
  const { apiVersion, fieldsType, fieldsV1, manager = '', operation, subresource = '', time } = raw;
  const read = readFields(fieldsV1);
  if (
    read === 'malformed' ||
    typeof apiVersion !== 'string' ||
    apiVersion === '' ||
    fieldsType !== 'FieldsV1' ||
    (operation !== 'Apply' && operation !== 'Update') ||
    typeof manager !== 'string' ||
    typeof subresource !== 'string'
  ) {
    return undefined;
  }
  const writer: EntryWriter = { apiVersion, manager, operation, subresource };
  return { entry: { ...entryOf(writer, read ?? leaf), ...timed(time) }, fields: read };
}

function readFields(raw: unknown): OptionalFieldSet | 'malformed' {
  try {
    return raw === undefined || raw === null ? undefined : parseFields(raw);
  } catch (error) {
    if (error instanceof SyntaxError) {
      return 'malformed';
    }
    throw error;
  }
}

function timed(time: unknown): { readonly time?: string } {
  return typeof time === 'string' && time !== '' ? { time } : {};
}

/** The identity of an entry. The version is not part of the identity of an apply. */
export interface EntryWriter {
  readonly apiVersion: string;
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  /** The subresource. "" for the main resource. */
  readonly subresource: string;
}

/** An entry without a time. */
export function entryOf(
  { apiVersion, manager, operation, subresource }: EntryWriter,
  fieldsV1: FieldSet,
): ManagedEntry {
  const base = { apiVersion, fieldsType: 'FieldsV1', fieldsV1, manager, operation } as const;
  return subresource === '' ? base : { ...base, subresource };
}

export function isBy(entry: ManagedEntry, { apiVersion, manager, operation, subresource }: EntryWriter): boolean {
  return (
    entry.manager === manager &&
    entry.operation === operation &&
    (entry.subresource ?? '') === subresource &&
    (operation === 'Apply' || entry.apiVersion === apiVersion)
  );
}

/** Returns the entries with other fields. Entries without fields are removed. */
export function mapFields(
  entries: readonly ManagedEntry[],
  change: (entry: ManagedEntry) => OptionalFieldSet,
): readonly ManagedEntry[] {
  return entries.flatMap(entry => {
    const fieldsV1 = change(entry);
    if (fieldsV1 === entry.fieldsV1) {
      return [entry];
    }
    return fieldsV1 === undefined ? [] : [{ ...entry, fieldsV1 }];
  });
}

/** Returns the list `before` if both lists have the same entries in the same order. */
export function sameOrNew(before: readonly ManagedEntry[], next: readonly ManagedEntry[]): readonly ManagedEntry[] {
  return before.length === next.length && before.every((entry, index) => entry === next[index]) ? before : next;
}

function secondsOf({ time }: ManagedEntry): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
}

/** Sorts apply entries first, then by time, manager, version and subresource. */
export function inOrder(entries: readonly ManagedEntry[]): readonly ManagedEntry[] {
  return [...entries].sort(
    (left, right) =>
      byText(left.operation, right.operation) ||
      secondsOf(left) - secondsOf(right) ||
      byText(left.manager, right.manager) ||
      byText(left.apiVersion, right.apiVersion) ||
      byText(left.subresource ?? '', right.subresource ?? ''),
  );
}

/** The maximum number of update entries. Further entries are merged. */
const maxUpdates = 10;

const ancient = 'ancient-changes';

/** Limits update entries to ten if some have the same version. The oldest entries are merged. */
export function capped(entries: readonly ManagedEntry[]): readonly ManagedEntry[] {
  const updates = entries.filter(({ operation }) => operation === 'Update');
  if (updates.length <= maxUpdates) {
    return entries;
  }
  const oldestFirst = [...updates].sort(
    (left, right) => secondsOf(left) - secondsOf(right) || byText(identityOf(left), identityOf(right)),
  );
  const joined = new Set<ManagedEntry>();
  const buckets = new Map<string, ManagedEntry>();
  let count = updates.length;
  for (const entry of oldestFirst) {
    const bucket = buckets.get(entry.apiVersion);
    if (count <= maxUpdates) {
      break;
    }
    joined.add(entry);
    buckets.set(entry.apiVersion, bucket === undefined ? entry : join(bucket, entry));
    count -= bucket === undefined ? 0 : 1;
  }
  return [...entries.filter(entry => !joined.has(entry)), ...buckets.values()];
}

function identityOf({ manager, operation, apiVersion, subresource = '' }: ManagedEntry): string {
  return JSON.stringify([manager, operation, operation === 'Apply' ? '' : apiVersion, subresource]);
}

/** The merged entry has the later time. */
function join(bucket: ManagedEntry, { apiVersion, fieldsV1, time }: ManagedEntry): ManagedEntry {
  const writer = { apiVersion, manager: ancient, operation: 'Update', subresource: '' } as const;
  return { ...entryOf(writer, union(bucket.fieldsV1, fieldsV1) ?? fieldsV1), ...timed(time) };
}

/** Returns true if both lists are equal except for times. A write that changes only times is a no-op. */
export function sameButTimes(left: readonly ManagedEntry[], right: readonly ManagedEntry[]): boolean {
  return (
    left.length === right.length &&
    left.every(entry => right.some(other => isBy(other, writerOf(entry)) && sameJson(untimed(entry), untimed(other))))
  );
}

function writerOf({ apiVersion, manager, operation, subresource = '' }: ManagedEntry): EntryWriter {
  return { apiVersion, manager, operation, subresource };
}

function untimed({ time: _, ...entry }: ManagedEntry): Omit<ManagedEntry, 'time'> {
  return entry;
}

/** Returns the object without its managed fields. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isJsonObject(metadata) || metadata['managedFields'] === undefined) {
    return object;
  }
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}
