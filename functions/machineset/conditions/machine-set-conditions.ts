// Computes all conditions of one pass over a MachineSet.
import {
  type Condition,
  type ConditionDraft,
  internalError,
  pausedCondition,
  type SetOptions,
  setCondition,
} from '@capi-serverless/cluster-api/conditions';
import { pendingAcknowledgeMoveAnnotation } from '../../../shared/machine-collections/keys.ts';
import { machinesReady, machinesUpToDate } from '../../../shared/machine-collections/machine-conditions.ts';
import { remediatingCondition } from '../../../shared/machine-collections/remediating-condition.ts';
import {
  missingTemplates,
  scalingDownCondition,
  scalingUpCondition,
} from '../../../shared/machine-collections/scaling-conditions.ts';
import {
  deletingMachines,
  deletionCompleted,
  notDeleting,
  staleDeletion,
} from '../../../shared/machine-collections/stale-deletion.ts';
import { isKnown, type KnownFacts, type StatusFacts } from './status-facts.ts';

/** The conditions that depend on the Machines, by type. */
const conditionsOf: Readonly<Record<string, (facts: KnownFacts) => ConditionDraft>> = {
  ScalingUp: scalingUp,
  ScalingDown: scalingDown,
  MachinesReady: ({ machines }) => machinesReady('MachinesReady', machines),
  MachinesUpToDate: ({ machines, now }) => machinesUpToDate('MachinesUpToDate', machines, now),
  Remediating: ({ machines }) => remediatingCondition(machines, ' by MachineSet'),
  Deleting: deleting,
};

/** The condition types that this reconciler writes. */
export const ownedConditions: readonly string[] = ['Paused', ...Object.keys(conditionsOf)];

/** The condition list of the MachineSet after this pass, which is not paused. */
export function toConditions(facts: StatusFacts, options: SetOptions): readonly Condition[] {
  const { metadata, status } = facts.machineSet;
  const paused = pausedCondition({ kind: 'MachineSet', annotations: metadata.annotations });
  return Object.entries(conditionsOf).reduce(
    (list, [type, conditionOf]) =>
      setCondition(list, isKnown(facts) ? conditionOf(facts) : internalError(type), options),
    setCondition(status.conditions, paused, options),
  );
}

function scalingOf({ machineSet: { spec, metadata } }: KnownFacts) {
  return { replicas: spec.replicas, isDeleting: metadata.deletionTimestamp !== undefined };
}

function scalingUp(facts: KnownFacts): ConditionDraft {
  const missing = missingTemplates(facts.missingTemplates);
  const lines = [...facts.preflightMessages, ...(missing === '' ? [] : [missing])];
  const blocked = lines.length === 0 ? '' : `:${lines.map(line => `\n* ${line}`).join('')}`;
  return scalingUpCondition({ ...scalingOf(facts), current: facts.machines.length, missing, blocked });
}

/** Moved Machines that the replicas do not include yet are no surplus. */
function scalingDown(facts: KnownFacts): ConditionDraft {
  const counted = facts.machines.filter(({ metadata }) => !(pendingAcknowledgeMoveAnnotation in metadata.annotations));
  const stale = staleDeletion(facts.machines, facts.now);
  return scalingDownCondition({ ...scalingOf(facts), current: counted.length, stale });
}

function deleting(facts: KnownFacts): ConditionDraft {
  if (!scalingOf(facts).isDeleting) {
    return notDeleting;
  }
  return facts.machines.length === 0 ? deletionCompleted : deletingMachines(facts.machines, facts.now);
}
