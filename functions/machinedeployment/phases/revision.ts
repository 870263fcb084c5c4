// The revision of the deployment: the one of its current MachineSet. A pass that makes a MachineSet current again writes
// it before the MachineSets, so that a pass with an older template ends with a conflict.
import { toRef } from '@capi-serverless/apimachinery';
import type { Action, Outcomes } from '@capi-serverless/reconciler';
import type { WholeMachineDeployment } from '../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import { revisionAnnotation } from '../../../shared/machine-collections/keys.ts';
import { revisionOf } from '../../../shared/machine-collections/revision-number.ts';
import type { PlannedSets } from '../plan/plan-sets.ts';
import type { TargetSet } from '../plan/target-set.ts';
import { patchMetadataId } from './own-metadata.ts';

export const revisionId = 'deployment:revision';

export interface RevisionWrite {
  readonly actions: readonly Action[];
  /** Whether the write precedes the applies of the MachineSets. */
  readonly isFirst: boolean;
}

/** Without current MachineSet, the deployment keeps its revision. */
export function planRevision(
  deployment: WholeMachineDeployment,
  { sets, target }: Pick<PlannedSets, 'sets' | 'target'>,
): RevisionWrite {
  if (target === undefined) {
    return { actions: [], isFirst: false };
  }
  const { number } = target.revision;
  const isFirst = isRaised(target) || isBehind(deployment, sets);
  const isRecorded = deployment.metadata.annotations[revisionAnnotation] === number;
  return { actions: isRecorded && !isFirst ? [] : [toPatch(deployment, number)], isFirst };
}

/** Whether an existing MachineSet becomes current. */
function isRaised({ set, revision: { number } }: TargetSet): boolean {
  return set !== undefined && set.metadata.annotations[revisionAnnotation] !== number;
}

/** Whether a MachineSet is newer than the deployment that was read. The template of the deployment may then be old. */
function isBehind(deployment: WholeMachineDeployment, { current, old }: PlannedSets['sets']): boolean {
  const own = numberOf(deployment);
  return [...old, ...(current === undefined ? [] : [current])].some(({ set }) => numberOf(set) > own);
}

function numberOf(object: Parameters<typeof revisionOf>[0]): bigint {
  const revision = revisionOf(object);
  return revision.ok ? revision.value : 0n;
}

/** An older pass must not replace the revision of a newer one. */
function toPatch({ object }: WholeMachineDeployment, number: string): Action {
  return {
    id: revisionId,
    onError: 'stop',
    do: 'patch',
    ref: toRef(object),
    body: { metadata: { annotations: { [revisionAnnotation]: number } } },
    resourceVersion: outcomes => versionAfter(object.metadata.resourceVersion, outcomes),
  };
}

function versionAfter(read: string, outcomes: Outcomes): string {
  const outcome = outcomes.get(patchMetadataId);
  return (outcome?.state === 'done' ? outcome.object?.metadata.resourceVersion : undefined) ?? read;
}
