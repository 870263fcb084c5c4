// The public interface of the MachineDeployment reconciler for CLI commands.
import { addFinalizerId, type EarlyEnd, isEarlyEnd, removeFinalizerId } from '@capi-serverless/reconciler';
import { type ExplainedAction, toFace } from '../../shared/explain/face.ts';
import { hooksThatAgree } from '../../shared/explain/hooks-that-agree.ts';
import { deploymentFinalizer } from './phases/gate.ts';
import { patchMetadataId } from './phases/own-metadata.ts';
import { revisionId } from './phases/revision.ts';
import { ownTemplateId } from './phases/templates.ts';
import type { DeploymentPlan } from './plan.ts';
import { previewOfMachineDeployment } from './preview/observe-preview.ts';
import { createMachineDeploymentReconciler } from './reconciler.ts';
import { describeRollout } from './why/describe.ts';
import { waitOfMachineDeployment } from './why/waits.ts';

export const face = toFace({
  reconciler: createMachineDeploymentReconciler({ updatesInPlace: true }),
  asReported: { hooks: hooksThatAgree },
  whyOf: whyOfMachineDeployment,
  preview: previewOfMachineDeployment,
  waitOf: waitOfMachineDeployment,
  describe: (deployment, { reads }) => describeRollout(deployment, { reads, waitOf: waitOfMachineDeployment }),
  fromFiles: () => undefined,
});

const reasons: Readonly<Record<string, string>> = {
  [addFinalizerId]: `the finalizer ${deploymentFinalizer} is missing: without it, the MachineDeployment could disappear before its MachineSets`,
  [patchMetadataId]: 'the MachineDeployment lacks the owner reference or the label of its Cluster',
  [ownTemplateId('infrastructure')]: 'the template lacks the owner reference of the Cluster',
  [ownTemplateId('bootstrap')]: 'the template lacks the owner reference of the Cluster',
  [revisionId]: 'the MachineDeployment has the revision of its current MachineSet',
  [removeFinalizerId]: 'no MachineSet of the MachineDeployment is left',
};

const byVerb: Readonly<Record<string, string>> = {
  adopt: 'the selector of the MachineDeployment matches the MachineSet, and it has no controller',
  repair: 'the MachineSet lacks managed fields of capi-machinedeployment: fields could not be unset',
  label: 'the MachineSet lacks the label with the name of its MachineDeployment',
};

/** Returns `undefined` for an unknown action. */
export function whyOfMachineDeployment({
  action,
  seen,
}: ExplainedAction<DeploymentPlan | EarlyEnd>): string | undefined {
  const [verb = '', ...rest] = action.id.split(':');
  return reasons[action.id] ?? byVerb[verb] ?? whyOfSet(verb, rest.join(':'), seen);
}

function whyOfSet(verb: string, name: string, seen: DeploymentPlan | EarlyEnd): string | undefined {
  if (verb === 'delete') {
    return !isEarlyEnd(seen) && seen.stage.kind === 'deleting'
      ? 'the MachineDeployment is being deleted'
      : 'the rollout is complete, and the MachineSet is empty';
  }
  if (verb !== 'apply' || isEarlyEnd(seen) || seen.stage.kind !== 'rollout') {
    return undefined;
  }
  const { notes, writes } = seen.stage.plan;
  const write = writes.find(each => each.name === name);
  const isNew = write !== undefined && write.set === undefined;
  return (
    notes.get(name)?.join(', ') ??
    (isNew
      ? 'no MachineSet has the template of the MachineDeployment'
      : 'fields of the MachineSet differ from those of the MachineDeployment')
  );
}
