// Computes the result of a plan. The outcome of each write selects a branch of the steps that depend on it.
import type { Instant } from '@capi-serverless/apimachinery';
import { changesAfter, noProgress, type Outcomes } from '@capi-serverless/reconciler';
import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import type { TemplateOwner } from '../../../shared/api/machine/template-owner.ts';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { Scoped } from '../../../shared/external/external.ts';
import { scopedAfter } from '../../../shared/external/object-owner.ts';
import type { WholeMachinePlan } from '../plan.ts';
import type { ConnectionState } from './node/connection.ts';
import type { NodeLookup } from './node/lookup.ts';
import { applyChange, type MachineProgress } from './pass-progress.ts';

export interface MachineConclusion {
  /** The Machine with the fields that the phases of this pass set. */
  readonly machine: WholeMachine;
  readonly cluster: Cluster | undefined;
  readonly machineSet: TemplateOwner | undefined;
  readonly machineDeployment: TemplateOwner | undefined;
  /** Objects whose owner reference could not be written are `unknown`. */
  readonly bootstrap: Scoped;
  readonly infrastructure: Scoped;
  readonly lookup: NodeLookup;
  readonly connection: ConnectionState;
  readonly remoteConditionsGracePeriodMs: number;
  readonly progress: MachineProgress;
  readonly isLate: boolean;
  readonly now: Instant;
}

/**
 * All steps are applied, even if an earlier step failed. A write after the status has no outcome yet, and counts as
 * successful.
 */
export function conclude({ scope, steps }: WholeMachinePlan, outcomes: Outcomes): MachineConclusion {
  const { machine, cluster, machineSet, machineDeployment, lookup, connection, settings, externals, now } = scope;
  const progress = changesAfter(steps, outcomes).reduce<MachineProgress>(
    (state, change) => applyChange(state, change, now),
    startOf(machine),
  );
  return {
    machine: machineAfter(machine, progress),
    cluster,
    machineSet,
    machineDeployment,
    bootstrap: scopedAfter(externals.bootstrap, outcomes),
    infrastructure: scopedAfter(externals.infrastructure, outcomes),
    lookup,
    connection,
    remoteConditionsGracePeriodMs: settings.remoteConditionsGracePeriodMs,
    progress,
    isLate: scope.isLate === true,
    now,
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
