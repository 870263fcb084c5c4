// Whether an apply changes an object: known from what was read where that suffices, else asked of the API server.
import { type Checked, invalid, valid } from '../../../shared/api/checked.ts';
import { isJsonObject } from '../../../shared/api/json.ts';
import type { Intent, Unstructured } from '../../../shared/api/object.ts';
import type { DryRunPort } from '../../../shared/kubernetes/port.ts';
import { appliesWithoutChange } from '../../../shared/topology/intent/certain.ts';
import { compareDryRuns, type Difference, toDryRuns } from '../../../shared/topology/intent/dry-run.ts';
import type { Path } from '../../../shared/topology/intent/filter.ts';
import { topologyManager } from '../../../shared/topology/model/keys.ts';

export interface Compared {
  readonly intent: Intent;
  readonly current: Unstructured;
  readonly ignored?: readonly Path[];
}

const unchanged: Difference = { changes: false, specChanges: false };

/** Two dry runs at most, side by side; none where the answer is known. */
export async function findDifference(compared: Compared, { dryRun }: DryRunPort): Promise<Checked<Difference>> {
  const { intent, current, ignored = [] } = compared;
  if (awaitsOwner(intent)) {
    return valid({ changes: true, specChanges: false });
  }
  if (appliesWithoutChange(intent, current) === 'certain') {
    return valid(unchanged);
  }
  const pair = toDryRuns(intent, current, ignored);
  const options = { fieldManager: topologyManager, force: true, uid: current.metadata.uid };
  const [modified, original] = await Promise.all([
    dryRun.apply(pair.modified, options),
    dryRun.apply(pair.original, options),
  ]);
  if (!modified.ok) {
    return invalid(`server side apply dry-run failed for modified object: ${modified.failure.message}`);
  }
  if (!original.ok) {
    return invalid(`server side apply dry-run failed for original object: ${original.failure.message}`);
  }
  return valid(compareDryRuns({ modified: modified.value, original: original.value }, current, ignored));
}

/** It gets an owner that is made in this very pass. */
function awaitsOwner({ metadata }: Intent): boolean {
  return (metadata.ownerReferences ?? []).some(({ uid }) => isJsonObject(uid));
}
