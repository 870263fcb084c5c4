// The deprecated condition family, with severities: what v1beta1 clients still read.
import type { Instant, Unstructured } from '../api/object.ts';
import type { Severity, V1Beta1Condition, V1Beta1Draft } from './condition.ts';

/** Why a condition is not True. */
export interface V1Beta1Cause {
  readonly reason: string;
  readonly severity: Severity;
  readonly message?: string;
}

export function v1Beta1True(type: string): V1Beta1Draft {
  return { type, status: 'True' };
}

export function v1Beta1False(type: string, cause: V1Beta1Cause): V1Beta1Draft {
  return { type, status: 'False', ...cause };
}

export function v1Beta1Unknown(
  type: string,
  cause: { readonly reason: string; readonly message?: string },
): V1Beta1Draft {
  return { type, status: 'Unknown', ...cause };
}

/**
 * The list with this condition set: any change of its state moves the transition time to `now`. An undefined condition
 * changes nothing. Returns the very same list when nothing changed, otherwise `Ready` first and the rest by name.
 */
export function setV1Beta1Condition(
  list: readonly V1Beta1Condition[] | undefined,
  draft: V1Beta1Draft | undefined,
  options: { readonly now: Instant },
): readonly V1Beta1Condition[] {
  throw new Error(`not written: ${list} ${draft} ${options}`);
}

/** `status.conditions` of an object of any kind, unvalidated; nothing when it cannot be decoded. */
export function readV1Beta1Conditions(object: Unstructured): readonly V1Beta1Draft[] {
  throw new Error(`not written: ${object.kind}`);
}

/** A stored list of the deprecated family; anything malformed is left out. */
export function storedV1Beta1Conditions(value: unknown): readonly V1Beta1Condition[] {
  throw new Error(`not written: ${value}`);
}

/** What a missing `Ready` is taken for. */
export type V1Beta1Fallback = { readonly value: true } | ({ readonly value: false } & V1Beta1Cause);

/** The source's `Ready` under the target's type, else the fallback, else nothing. */
export function mirrorV1Beta1Ready(
  source: readonly V1Beta1Draft[],
  targetType: string,
  fallback?: V1Beta1Fallback,
): V1Beta1Draft | undefined {
  throw new Error(`not written: ${source} ${targetType} ${fallback}`);
}

/** `Ready` as the given types make it, in their order; nothing when none of them is there. */
export function summarizeV1Beta1(
  list: readonly V1Beta1Draft[] | undefined,
  options: { readonly types?: readonly string[]; readonly negativePolarity?: readonly string[] } = {},
): V1Beta1Draft | undefined {
  throw new Error(`not written: ${list} ${options}`);
}
