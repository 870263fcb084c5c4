// Determines whether an apply changes an object. The objects that were read prove it, or two dry runs determine it.

import {
  type Checked,
  type Intent,
  invalid,
  isJsonObject,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import { type AskingPlan, ask, together } from '@capi-serverless/reconciler';
import { appliesWithoutChange } from '../../../../shared/server-side-apply/certain.ts';
import { topologyManager } from '../../../../shared/topology/model/keys.ts';
import { nameObject } from '../change-texts.ts';
import { compareDryRuns, type DryRunDifference, toDryRuns } from '../intent/dry-run.ts';
import type { Path } from '../intent/filter.ts';
import type { DryRunQuestion } from '../questions.ts';

interface Compared {
  readonly intent: Intent;
  readonly current: Unstructured;
  /** Paths whose differences are ignored. */
  readonly ignored?: readonly Path[] | undefined;
}

/** Both dry runs are sent at the same time. Errors name the object. */
export function* findDifference({
  intent,
  current,
  ignored,
}: Compared): AskingPlan<DryRunQuestion, Checked<DryRunDifference>> {
  if (awaitsOwner(intent)) {
    return valid({ changes: true, specChanges: false });
  }
  if (appliesWithoutChange(intent, current, topologyManager) === 'certain') {
    return valid({ changes: false, specChanges: false });
  }
  const dryRuns = toDryRuns(intent, current, ignored);
  const [modified, original] = yield* together([dryRun(dryRuns.modified, current), dryRun(dryRuns.original, current)]);
  const problem = `failed to create patch helper for ${nameObject(current)}: server side apply dry-run failed for`;
  if (!modified.ok) {
    return invalid(`${problem} modified object: ${modified.failure.message}`);
  }
  return original.ok
    ? valid(compareDryRuns({ modified: modified.value, original: original.value }, current, ignored))
    : invalid(`${problem} original object: ${original.failure.message}`);
}

function dryRun(intent: Intent, { metadata }: Unstructured) {
  const options = { fieldManager: topologyManager, force: true, uid: metadata.uid };
  return ask<DryRunQuestion>('dryRun', { intent, options });
}

/** This pass creates the owner, so the uid of the owner is not known yet. */
function awaitsOwner({ metadata }: Intent): boolean {
  return (metadata.ownerReferences ?? []).some(({ uid }) => isJsonObject(uid));
}
