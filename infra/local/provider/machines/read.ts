// Reading what the Machine controllers look at. What is not there reads as nothing; what cannot be read ends the pass.
import type { Answer } from '../../../../shared/api/answer.ts';
import { toRecord } from '../../../../shared/api/fields.ts';
import { type ObjectRef, toDisplayName, type Unstructured } from '../../../../shared/api/object.ts';
import { RetryableError } from '../../../../shared/kernel/errors.ts';
import { valueAt } from '../../../../shared/kernel/merge-diff.ts';
import type { Reads } from '../../../../shared/kernel/types.ts';

/** The value, or a RetryableError that says what was tried. */
export function must<T>(answer: Answer<T>, what: string): T {
  if (!answer.ok) {
    throw new RetryableError(`${what} failed: ${answer.failure.message}`);
  }
  return answer.value;
}

/** What all of them found. Of those that fail the first one counts, and only when nothing is under way any more. */
export async function together<const Found extends readonly unknown[]>(
  reads: Found,
): Promise<{ -readonly [At in keyof Found]: Awaited<Found[At]> }> {
  await Promise.allSettled(reads);
  return Promise.all(reads);
}

/** `undefined`: there is none. */
export async function find(ask: Reads, ref: ObjectRef): Promise<Unstructured | undefined> {
  const answer = await ask.get(ref);
  return !answer.ok && answer.missing ? undefined : must(answer, `Reading ${ref.kind} ${toDisplayName(ref)}`);
}

/** Objects of a core kind near `object`, of which it is the controller, in the order of their names. */
export async function listControlled(
  ask: Reads,
  object: Unstructured,
  { kind, labels }: { readonly kind: string; readonly labels: Readonly<Record<string, string>> },
): Promise<readonly Unstructured[]> {
  const { namespace = '', uid } = object.metadata;
  const listed = await ask.list({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind, namespace, labels });
  return must(listed, `Listing ${kind}s of ${object.kind} ${toDisplayName(object.metadata)}`)
    .filter(each => controllerOf(each)?.uid === uid)
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

export function controllerOf({ metadata }: Pick<Unstructured, 'metadata'>) {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

export function textAt(object: unknown, path: string): string {
  const value = valueAt(object, path);
  return typeof value === 'string' ? value : '';
}

export function numberAt(object: unknown, path: string): number | undefined {
  const value = valueAt(object, path);
  return typeof value === 'number' ? value : undefined;
}

export function fieldsAt(object: unknown, path: string): Readonly<Record<string, unknown>> {
  return toRecord(valueAt(object, path));
}

/** Free keys with text values. */
export function textsAt(object: unknown, path: string): Readonly<Record<string, string>> {
  const entries = Object.entries(fieldsAt(object, path));
  return Object.fromEntries(entries.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])));
}

export function isDeleting({ metadata }: Pick<Unstructured, 'metadata'>): boolean {
  return metadata.deletionTimestamp !== undefined;
}
