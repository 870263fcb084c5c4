// The reads of the Machine controllers. A missing object is returned as undefined. A failed read ends the pass.
import {
  type Answer,
  type ObjectRef,
  type Reads,
  toDisplayName,
  toRecord,
  type Unstructured,
  valueAt,
} from '@capi-serverless/apimachinery';
import { RetryableError } from '@capi-serverless/reconciler';

/** Returns the value, or throws a RetryableError that names the read. */
export function must<T>(answer: Answer<T>, what: string): T {
  if (!answer.ok) {
    throw new RetryableError(`${what} failed: ${answer.failure.message}`);
  }
  return answer.value;
}

/** Waits for all reads, then throws the first failure or returns all results. */
export async function together<const Found extends readonly unknown[]>(
  reads: Found,
): Promise<{ -readonly [At in keyof Found]: Awaited<Found[At]> }> {
  await Promise.allSettled(reads);
  return Promise.all(reads);
}

/** Returns `undefined` if the object does not exist. */
export async function find(ask: Pick<Reads, 'get'>, ref: ObjectRef): Promise<Unstructured | undefined> {
  const answer = await ask.get(ref);
  return !answer.ok && answer.missing ? undefined : must(answer, `Reading ${ref.kind} ${toDisplayName(ref)}`);
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

/** A map with any keys and text values. */
export function textsAt(object: unknown, path: string): Readonly<Record<string, string>> {
  const entries = Object.entries(fieldsAt(object, path));
  return Object.fromEntries(entries.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])));
}

export function isDeleting({ metadata }: Pick<Unstructured, 'metadata'>): boolean {
  return metadata.deletionTimestamp !== undefined;
}
