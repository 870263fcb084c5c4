// Whether an apply changes an object: derived from the objects that were read if possible, else from two dry runs.

import {
  type Answer,
  type Checked,
  type Intent,
  invalid,
  isJsonObject,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import { appliesWithoutChange } from '../intent/certain.ts';
import { compareDryRuns, type Difference, type DryRunPair, toDryRuns } from '../intent/dry-run.ts';
import type { Path } from '../intent/filter.ts';
import { nameObject } from './change-texts.ts';

export interface Compared {
  readonly intent: Intent;
  readonly current: Unstructured;
  /** Paths whose differences are ignored. */
  readonly ignored?: readonly Path[];
}

export type Comparison =
  | { readonly state: 'known'; readonly difference: Difference }
  | { readonly state: 'unknown'; readonly dryRuns: DryRunPair };

/** `unknown`: both dry runs must be sent, with the uid of the current object. */
export function startComparison({ intent, current, ignored }: Compared): Comparison {
  if (awaitsOwner(intent)) {
    return { state: 'known', difference: { changes: true, specChanges: false } };
  }
  return appliesWithoutChange(intent, current) === 'certain'
    ? { state: 'known', difference: { changes: false, specChanges: false } }
    : { state: 'unknown', dryRuns: toDryRuns(intent, current, ignored) };
}

export interface DryRunAnswers {
  readonly modified: Answer<Unstructured>;
  readonly original: Answer<Unstructured>;
}

/** Errors name the object. */
export function finishComparison(
  { current, ignored }: Compared,
  { modified, original }: DryRunAnswers,
): Checked<Difference> {
  const problem = `failed to create patch helper for ${nameObject(current)}: server side apply dry-run failed for`;
  if (!modified.ok) {
    return invalid(`${problem} modified object: ${modified.failure.message}`);
  }
  return original.ok
    ? valid(compareDryRuns({ modified: modified.value, original: original.value }, current, ignored))
    : invalid(`${problem} original object: ${original.failure.message}`);
}

/** This pass creates the owner, so its uid is not known yet. */
function awaitsOwner({ metadata }: Intent): boolean {
  return (metadata.ownerReferences ?? []).some(({ uid }) => isJsonObject(uid));
}
