// Sends dry runs to determine whether an apply changes an object. Used if the objects that were read do not prove this.

import { type Checked, type DryRunPort, valid } from '@capi-serverless/apimachinery';
import { topologyManager } from '../../../../shared/topology/model/keys.ts';
import { type Compared, finishComparison, startComparison } from '../../plan/changes/comparison.ts';
import type { DryRunDifference } from '../../plan/intent/dry-run.ts';

/** Sends at most two dry runs, in parallel. Errors name the object. */
export async function findDifference(compared: Compared, { dryRun }: DryRunPort): Promise<Checked<DryRunDifference>> {
  const comparison = startComparison(compared);
  if (comparison.state === 'known') {
    return valid(comparison.difference);
  }
  const options = { fieldManager: topologyManager, force: true, uid: compared.current.metadata.uid };
  const [modified, original] = await Promise.all([
    dryRun.apply(comparison.dryRuns.modified, options),
    dryRun.apply(comparison.dryRuns.original, options),
  ]);
  return finishComparison(compared, { modified, original });
}
