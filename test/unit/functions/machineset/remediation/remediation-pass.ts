// The remediation of one pass over MachineSet `ns/ms1`, as short texts.

import type { Action, Outcome } from '@capi-serverless/reconciler';
import {
  type RemediationPhase,
  remediationPhase,
} from '../../../../../functions/machineset/phases/remediation/remediation.ts';
import { chooseRemediations } from '../../../../../functions/machineset/phases/remediation/remediation-choice.ts';
import { readWholeMachine, type WholeMachine } from '../../../../../shared/api/machine/whole-machine.ts';
import { readWholeMachineDeployment } from '../../../../../shared/api/machine-deployment/whole-machine-deployment.ts';
import { readWholeMachineSet } from '../../../../../shared/api/machine-set/whole-machine-set.ts';
import type { Preflight } from '../../../../../shared/machine-collections/preflight-scope.ts';
import { aMachine, aMachineDeployment, aMachineSet, type MachineBuilder } from '../../../../support/builders.ts';
import { testStart } from '../../../../support/object-builder.ts';

const revision = 'machinedeployment.clusters.x-k8s.io/revision';

export function anUnhealthyMachine(name: string): MachineBuilder {
  return aMachine()
    .named(name)
    .withCondition('HealthCheckSucceeded', { status: 'False' })
    .withCondition('OwnerRemediated', { status: 'False', reason: 'WaitingForRemediation' });
}

/** A Machine that an earlier pass deletes to remediate it. */
export function aRemediatedMachine(name: string): MachineBuilder {
  return anUnhealthyMachine(name)
    .withCondition('OwnerRemediated', { status: 'False', reason: 'MachineDeleting' })
    .deleting();
}

export interface RemediationCase {
  readonly machines: readonly MachineBuilder[];
  readonly preflight?: Preflight | undefined;
  /** Absent: no MachineDeployment owns the set. */
  readonly deployment?: { readonly revision?: string; readonly maxInFlight?: unknown; readonly replicas?: number };
}

export function choiceOf({ machines, deployment }: RemediationCase) {
  const owner = aMachineDeployment()
    .annotated({ [revision]: deployment?.revision ?? '7' })
    .withSpec({ replicas: deployment?.replicas, remediation: { maxInFlight: deployment?.maxInFlight } });
  return chooseRemediations({
    machineSet: readWholeMachineSet(
      aMachineSet()
        .annotated({ [revision]: '7' })
        .build(),
    ),
    deployment: deployment === undefined ? undefined : readWholeMachineDeployment(owner.build()),
    machines: toMachines(machines),
  });
}

export function toMachines(machines: readonly MachineBuilder[]): readonly WholeMachine[] {
  return machines.map(machine => readWholeMachine(machine.build()));
}

export const passed: Preflight = { state: 'passed' };

export function phaseOf(of: RemediationCase): RemediationPhase {
  return remediationPhase(choiceOf(of), 'preflight' in of ? of.preflight : passed, testStart);
}

/** Returns the ids of the actions that are performed if those with these ids fail with "boom". */
export function performed({ actions }: Pick<RemediationPhase, 'actions'>, ...failing: readonly string[]) {
  const outcomes = new Map<string, Outcome>();
  const ids: string[] = [];
  for (const action of actions) {
    if (action.when?.(outcomes) === false) {
      outcomes.set(action.id, { state: 'skipped' });
      continue;
    }
    ids.push(action.id);
    outcomes.set(
      action.id,
      failing.includes(action.id)
        ? { state: 'failed', failure: { reason: 'InternalError', message: 'boom' } }
        : { state: 'done' },
    );
  }
  return { ids, outcomes };
}

/** Returns the body of the patch with this id. */
export function bodyOf(actions: readonly Action[], id: string): unknown {
  const action = actions.find(each => each.id === id);
  return action?.do === 'patch' ? action.body : undefined;
}
