// The plan of one pass over a Machine, derived from the objects that were read. Both the actions and the report use it.
import type { Instant } from '@capi-serverless/apimachinery';
import { isTrue } from '@capi-serverless/cluster-api/conditions';
import { readInterruptible } from '@capi-serverless/cluster-api/contract';
import { type Action, failureOf } from '@capi-serverless/reconciler';
import type { Cluster } from '../../shared/api/cluster/reader.ts';
import type { WholeMachine } from '../../shared/api/machine/whole-machine.ts';
import type { Scoped } from '../../shared/external/external.ts';
import { ownActionId } from '../../shared/external/object-owner.ts';
import { bootstrapStep } from './phases/bootstrap.ts';
import { certificateExpiryStep } from './phases/certificate-expiry.ts';
import type { NamedNode } from './phases/deletion/deletion-facts.ts';
import type { DeletionPlan } from './phases/deletion/plan-deletion.ts';
import { readFirstFailures, storeFailuresActions } from './phases/first-failures.ts';
import { infrastructureStep, providerIdAfter } from './phases/infrastructure.ts';
import type { NodeLookup } from './phases/node/lookup.ts';
import { type NodeChange, type NodePlan, planNodePhase } from './phases/node/node-phase.ts';
import { reportOutage } from './phases/node/report-outage.ts';
import { type MachineObjectPlan, planOwnership } from './phases/object-owner.ts';
import { machinePatchActions } from './phases/owner.ts';
import { always, type MachineChange, type MachineStep } from './phases/step.ts';
import { toTarget } from './phases/target.ts';
import { planUpdate, type UpdateDecision } from './phases/update/in-place-update.ts';
import type { MachineEarlyEnd, ObservedMachine, ObservedObjects } from './seen.ts';

/** The bootstrap config and the infrastructure machine. Observe plans them itself, because they determine the Node. */
export interface ObjectsPlan {
  readonly bootstrap: MachineObjectPlan;
  readonly infrastructure: MachineObjectPlan;
  readonly bootstrapStep: MachineStep;
  readonly infrastructureStep: MachineStep;
  /** The providerID of the Machine after these steps. */
  readonly providerID: string;
}

export function planObjects(seen: ObservedObjects): ObjectsPlan {
  const { machine, settings } = seen;
  const bootstrap = planOwnership('bootstrap', seen.bootstrap, seen);
  const infrastructure = planOwnership('infrastructure', seen.infrastructure, seen);
  const ofInfrastructure = infrastructureStep(infrastructure, machine);
  return {
    bootstrap,
    infrastructure,
    bootstrapStep: bootstrapStep(bootstrap, machine, settings),
    infrastructureStep: ofInfrastructure,
    providerID: providerIdAfter(ofInfrastructure, machine),
  };
}

/** What observe plans, because each of these plans determines what is read next. */
interface EarlyPlans {
  readonly objects: ObjectsPlan;
  /** `undefined` if the Machine stays. */
  readonly deletion: DeletionPlan | undefined;
  readonly update: UpdateDecision;
}

/** The plan assumes that every write succeeds. Each step also contains the result for a failed write. */
export interface WholeMachinePlan {
  readonly step: 'phases';
  readonly seen: ObservedMachine;
  readonly now: Instant;
  readonly objects: ObjectsPlan;
  readonly actions: readonly Action[];
  /** The steps of all phases, in order. */
  readonly steps: readonly MachineStep[];
}

/** A pass that runs the phases. */
interface PhasesSeen {
  readonly step: 'phases';
  readonly seen: ObservedMachine;
  readonly early: EarlyPlans;
}

export type MachineSeen = MachineEarlyEnd | PhasesSeen;

export type MachinePlan = MachineEarlyEnd | WholeMachinePlan;

export function plan(observed: MachineSeen, now: Instant): MachinePlan {
  return observed.step === 'phases' ? planPhases(observed, now) : observed;
}

function planPhases({ step, seen, early }: PhasesSeen, now: Instant): WholeMachinePlan {
  const { machine, cluster } = seen;
  const { objects } = early;
  // Without its Cluster, a Machine in deletion has no workload cluster.
  const node = cluster === undefined ? noPhase : nodeSteps(seen, cluster, objects);
  const outage = cluster === undefined || !seen.reportsOutage ? [] : [reportOutage(cluster, now)];
  const last = lastPhase(machine, early);
  const { bootstrap, infrastructure, bootstrapStep, infrastructureStep } = objects;
  const steps = [
    bootstrapStep,
    infrastructureStep,
    ...node.steps,
    certificateExpiryStep(machine, bootstrap.scoped),
    recoveryStep(seen, now),
    ...last.steps,
  ];
  return {
    step,
    seen,
    now,
    objects,
    actions: [
      ...outage,
      ...infrastructure.actions,
      ...bootstrap.actions,
      ...machinePatchActions(machine, cluster, [bootstrapStep, infrastructureStep]),
      ...node.actions,
      ...last.actions,
      ...storeFailuresActions(machine, steps),
    ],
    steps,
  };
}

/** Remembers the first failure of the connection, if nothing probes Clusters, and forgets the failures that are over. */
function recoveryStep({ isAsked, lookup, settings, machine }: ObservedMachine, now: Instant): MachineStep {
  const { connection } = readFirstFailures(machine);
  const isAnswered = isAsked && lookup.state !== 'aborted';
  const isFailing = lookup.state === 'notConnected';
  const since = settings.probesRemote || !isFailing ? null : (connection ?? now);
  return always({
    firstFailures: {
      ...(isAnswered || settings.probesRemote ? { connection: since } : {}),
      ...(isAnswered && !isFailing && lookup.state !== 'failed' ? { nodeLookup: null } : {}),
    },
  });
}

interface PhasePlan {
  readonly actions: readonly Action[];
  readonly steps: readonly MachineStep[];
}

const noPhase: PhasePlan = { actions: [], steps: [] };

/** If the owner reference could not be written, a providerID of this pass is not stored, and its Node is not used. */
function nodeSteps(seen: ObservedMachine, cluster: Cluster, objects: ObjectsPlan): PhasePlan {
  const node = planNode(seen, cluster, objects);
  const isNewId = objects.providerID !== seen.machine.spec.providerID;
  const needs = isNewId ? [{ id: ownActionId('infrastructure'), problem: undefined }] : [];
  const actions = node.actions.map(action => ({
    ...action,
    when: (outcomes: Parameters<typeof failureOf>[0]) =>
      !isNewId || failureOf(outcomes, ownActionId('infrastructure')) === undefined,
  }));
  const written = node.actions.map(({ id }) => ({ id, problem: node.problem }));
  return {
    actions,
    steps: [
      { change: toChange(node.always), needs },
      { change: toChange(node.afterWrite), needs: [...needs, ...written] },
    ],
  };
}

function toChange({ v1beta1, ...change }: NodeChange): MachineChange {
  return { ...change, ...(v1beta1 === undefined ? {} : { v1beta1: [v1beta1] }) };
}

function planNode(seen: ObservedMachine, cluster: Cluster, { infrastructure }: ObjectsPlan): NodePlan {
  const { machine, machineSet, machineDeployment, settings, lookup } = seen;
  const { scoped } = infrastructure;
  const interruptible = scoped.state === 'inScope' ? readInterruptible(scoped.object) : undefined;
  const isUnreadable = scoped.state === 'unknown';
  return planNodePhase({
    sync: {
      machine,
      machineSet,
      machineDeployment,
      isInterruptible: isUnreadable ? undefined : interruptible?.state === 'value' && interruptible.value,
      settings,
    },
    lookup,
    target: toTarget(cluster),
    isControlPlaneInitialized: isTrue(cluster.status.conditions, 'ControlPlaneInitialized'),
    infrastructure: infrastructureState(scoped),
    interruptibleError:
      interruptible?.state === 'wrongType'
        ? `failed to get status interruptible from infra machine ${machine.metadata.namespace}/${machine.spec.infrastructureRef.name}: ${interruptible.error}`
        : undefined,
  });
}

function infrastructureState(scoped: Scoped): 'absent' | 'deleting' | 'present' {
  if (scoped.state !== 'inScope') {
    return 'absent';
  }
  return scoped.object.metadata.deletionTimestamp === undefined ? 'present' : 'deleting';
}

function lastPhase(machine: WholeMachine, { objects, deletion, update }: EarlyPlans): PhasePlan {
  const scoped = { bootstrap: objects.bootstrap.scoped, infrastructure: objects.infrastructure.scoped };
  return deletion ?? planUpdate({ machine, ...scoped }, update);
}

/** A Machine that names no Node gets the name of the Node that was found. */
export function toNamedNode(
  nodeRef: string,
  lookup: NodeLookup,
  namedNode: NamedNode,
): { readonly nodeName: string; readonly namedNode: NamedNode } {
  if (nodeRef !== '') {
    return { nodeName: nodeRef, namedNode };
  }
  return lookup.state === 'found'
    ? { nodeName: lookup.node.metadata.name, namedNode: { state: 'found', node: lookup.node } }
    : { nodeName: '', namedNode: { state: 'gone' } };
}
