// The revision of the deployment: the one of its current MachineSet.
import { toRef } from '@capi-serverless/apimachinery';
import type { Action, Outcomes } from '@capi-serverless/reconciler';
import type { WholeMachineDeployment } from '../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import { revisionAnnotation } from '../../../shared/machine-collections/keys.ts';
import type { TargetSet } from '../plan/target-set.ts';
import { patchMetadataId } from './own-metadata.ts';

export const revisionId = 'deployment:revision';

/** Without current MachineSet, the deployment keeps its revision. */
export function revisionActions(
  { object, metadata }: WholeMachineDeployment,
  target: TargetSet | undefined,
): readonly Action[] {
  const revision = target?.revision.number;
  if (revision === undefined || metadata.annotations[revisionAnnotation] === revision) {
    return [];
  }
  return [
    {
      id: revisionId,
      onError: 'stop',
      do: 'patch',
      ref: toRef(object),
      body: { metadata: { annotations: { [revisionAnnotation]: revision } } },
      resourceVersion: outcomes => versionAfter(object.metadata.resourceVersion, outcomes),
    },
  ];
}

/** An older pass must not replace the revision of a newer one. */
function versionAfter(read: string, outcomes: Outcomes): string {
  const outcome = outcomes.get(patchMetadataId);
  return (outcome?.state === 'done' ? outcome.object?.metadata.resourceVersion : undefined) ?? read;
}
