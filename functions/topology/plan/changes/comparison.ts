// Determines whether an apply changes an object. The objects that were read prove it, or two dry runs determine it.

import {
  type Answer,
  type Checked,
  type Intent,
  invalid,
  isJsonObject,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import { appliesWithoutChange } from '../../../../shared/server-side-apply/certain.ts';
import { topologyManager } from '../../../../shared/topology/model/keys.ts';
import { nameObject } from '../change-texts.ts';
import { compareDryRuns, type DryRunDifference, type DryRunPair, toDryRuns } from '../intent/dry-run.ts';
import type { Path } from '../intent/filter.ts';

export interface Compared {
  readonly intent: Intent;
  readonly current: Unstructured;
  /** Paths whose differences are ignored. */
  readonly ignored?: readonly Path[];
}

type Comparison =
  | { readonly state: 'known'; readonly difference: DryRunDifference }
  | { readonly state: 'unknown'; readonly dryRuns: DryRunPair };

/** `unknown` means that both dry runs must be sent, with the uid of the current object. */
export function startComparison({ intent, current, ignored }: Compared): Comparison {
  if (awaitsOwner(intent)) {
    return { state: 'known', difference: { changes: true, specChanges: false } };
  }
  return appliesWithoutChange(intent, current, topologyManager) === 'certain'
    ? { state: 'known', difference: { changes: false, specChanges: false } }
    : { state: 'unknown', dryRuns: toDryRuns(intent, current, ignored) };
}

interface DryRunAnswers {
  readonly modified: Answer<Unstructured>;
  readonly original: Answer<Unstructured>;
}

/** Errors name the object. */
export function finishComparison(
  { current, ignored }: Compared,
  { modified, original }: DryRunAnswers,
): Checked<DryRunDifference> {
  const problem = `failed to create patch helper for ${nameObject(current)}: server side apply dry-run failed for`;
  if (!modified.ok) {
    return invalid(`${problem} modified object: ${modified.failure.message}`);
  }
  return original.ok
    ? valid(compareDryRuns({ modified: modified.value, original: original.value }, current, ignored))
    : invalid(`${problem} original object: ${original.failure.message}`);
}

/** This pass creates the owner, so the uid of the owner is not known yet. */
function awaitsOwner({ metadata }: Intent): boolean {
  return (metadata.ownerReferences ?? []).some(({ uid }) => isJsonObject(uid));
}
