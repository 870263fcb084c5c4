// The public interface of the MachineSet reconciler for CLI commands.
import { addFinalizerId, type EarlyEnd, removeFinalizerId } from '@capi-serverless/reconciler';
import { type ExplainedAction, toFace } from '../../shared/explain/face.ts';
import { setFinalizer } from './phases/gate.ts';
import { patchMetadataId } from './phases/own-metadata.ts';
import { reserveId } from './phases/replicas/machine-names.ts';
import { releaseId } from './phases/replicas/release-names.ts';
import { ownTemplateId } from './phases/set-templates.ts';
import type { MachineSetPlan } from './plan.ts';
import { createMachineSetReconciler } from './reconciler.ts';
import { defaultSettings } from './settings.ts';
import { describeMachineSet } from './why/describe-set.ts';
import { waitOfMachineSet } from './why/set-waits.ts';

export const face = toFace({
  reconciler: createMachineSetReconciler({ ...defaultSettings, hasTopologies: true }),
  asReported: {},
  whyOf: whyOfMachineSet,
  waitOf: waitOfMachineSet,
  describe: describeMachineSet,
});

const reasons: Readonly<Record<string, string>> = {
  [addFinalizerId]: `the finalizer ${setFinalizer} is missing: without it, the MachineSet could disappear before its Machines`,
  [patchMetadataId]: 'the MachineSet lacks the owner reference or the label of its Cluster',
  [ownTemplateId('infrastructure')]: 'the template lacks the owner reference of the Cluster',
  [ownTemplateId('bootstrap')]: 'the template lacks the owner reference of the Cluster',
  [reserveId]: 'Machines are missing: their names are reserved, so that each of them is created once',
  [releaseId]: 'no Machine with a reserved name is missing any more',
  [removeFinalizerId]: 'no Machine of the MachineSet is left',
};

const byVerb: Readonly<Record<string, string>> = {
  adopt: 'the selector of the MachineSet matches the Machine, and it has no controller',
  remediation: 'a health check asks for the remediation of the Machine, or does not ask for it any more',
  remediate: 'a health check asks for the remediation of the Machine',
  sync: 'labels, annotations or fields of the template differ',
  start: 'the Machine is updated in place',
  orphan: 'the MachineSet created it, and no Machine references it',
  create: 'the MachineSet has fewer Machines than replicas',
  scaledown: 'the MachineSet has more Machines than replicas',
  move: 'the MachineSet hands surplus Machines over to another one, which updates them in place',
  delete: 'the MachineSet is being deleted',
};

/** Returns `undefined` for an unknown action. */
export function whyOfMachineSet({
  action,
}: Pick<ExplainedAction<MachineSetPlan | EarlyEnd>, 'action'>): string | undefined {
  const [verb = ''] = action.id.split(':');
  return reasons[action.id] ?? byVerb[verb];
}
