// Computes all conditions of one pass over a MachineSet.
import type { Instant } from '@capi-serverless/apimachinery';
import {
  type Condition,
  type ConditionDraft,
  internalError,
  pausedCondition,
  type SetOptions,
  setCondition,
  type V1Beta1Draft,
} from '@capi-serverless/cluster-api/conditions';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineSet } from '../../../shared/api/machine-set/whole-machine-set.ts';
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

/** The input of the status of a MachineSet. */
export interface StatusFacts {
  readonly machineSet: WholeMachineSet;
  /** The Machines of the set, as they were read. `undefined` if they are not known. */
  readonly machines: readonly WholeMachine[] | undefined;
  /** The kinds of the templates that do not exist: first bootstrap, then infrastructure. */
  readonly missingTemplates: readonly string[];
  /** The reasons why this pass creates no Machine. */
  readonly preflightMessages: readonly string[];
  /** The deprecated condition MachinesCreated, if this pass creates Machines. */
  readonly machinesCreated: V1Beta1Draft | undefined;
  readonly now: Instant;
}

/** The facts of a pass that knows the Machines. */
type KnownFacts = StatusFacts & { readonly machines: readonly WholeMachine[] };

function isKnown(facts: StatusFacts): facts is KnownFacts {
  return facts.machines !== undefined;
}
