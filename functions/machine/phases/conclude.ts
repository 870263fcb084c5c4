// Computes the result of a plan. The outcome of each write selects a branch of the steps that depend on it.
import { changesAfter, noProgress, type Outcomes } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { Scoped } from '../../../shared/external/external.ts';
import { scopedAfter } from '../../../shared/external/object-owner.ts';
import type { MachinePlan } from '../plan.ts';
import { applyChange, type MachineProgress } from './pass-progress.ts';
import type { MachineScope } from './scope.ts';

/** `machine` has the fields that the phases of this pass set. */
export interface MachineConclusion extends Omit<MachineScope, 'bootstrap' | 'infrastructure'> {
  /** Objects whose owner reference could not be written are `unknown`. */
  readonly bootstrap: Scoped;
  readonly infrastructure: Scoped;
  readonly progress: MachineProgress;
}

/**
 * All steps are applied, even if an earlier step failed. A write after the status has no outcome yet, and counts as
 * successful.
 */
export function conclude({ scope, steps }: MachinePlan, outcomes: Outcomes): MachineConclusion {
  const { machine, externals, now } = scope;
  const progress = changesAfter(steps, outcomes).reduce<MachineProgress>(
    (state, change) => applyChange(state, change, now),
    startOf(machine),
  );
  return {
    ...scope,
    machine: machineAfter(machine, progress),
    bootstrap: scopedAfter(externals.bootstrap, outcomes),
    infrastructure: scopedAfter(externals.infrastructure, outcomes),
    progress,
  };
}

function machineAfter(machine: WholeMachine, { spec, nodeRef }: MachineProgress): WholeMachine {
  return {
    ...machine,
    spec: { ...machine.spec, providerID: spec.providerID ?? machine.spec.providerID },
    status: { ...machine.status, nodeRef: { name: nodeRef ?? machine.status.nodeRef.name } },
  };
}

function startOf({ status }: WholeMachine): MachineProgress {
  return {
    ...noProgress,
    ...status.initialization,
    addresses: undefined,
    failureDomain: undefined,
    nodeRef: undefined,
    nodeInfo: undefined,
    certificatesExpiryDate: undefined,
    deleting: undefined,
    updating: undefined,
    isUpdateDone: false,
    deletionTimes: {},
    spec: {},
    failure: {},
    v1beta1: status.deprecated.v1beta1.conditions,
    deferredErrors: [],
    retries: [],
  };
}
