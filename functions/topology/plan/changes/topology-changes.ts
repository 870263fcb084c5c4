// The writes that change the current state of a topology to the desired state.
import { type AskingPlan, together } from '@capi-serverless/reconciler';
import { emptyEndpointPaths } from '../intent/filter.ts';
import type { DryRunQuestion, ReadQuestion } from '../questions.ts';
import type { ChangesInput } from './changes-input.ts';
import { planControlPlane } from './control-plane-change.ts';
import { type ObjectChange, planObject } from './object-change.ts';
import type { Changes } from './ordered-changes.ts';
import { planShim, withOwner } from './shim-change.ts';
import { nothingToDo } from './step.ts';
import { planWorkers } from './worker-plans.ts';

/**
 * Asks for dry runs only if the objects that were read do not prove whether an apply changes something. If a part cannot
 * be planned, its plan contains the failure. The parts before it are still written.
 */
export function* planChanges(input: ChangesInput): AskingPlan<DryRunQuestion | ReadQuestion, Changes> {
  const shim = yield* planShim(input.blueprint.cluster, input.current);
  if (shim.plan.failure !== undefined) {
    return { shim: shim.plan, infrastructureCluster: nothingToDo, controlPlane: nothingToDo, workers: [] };
  }
  const owned = shim.owner === undefined ? input : { ...input, desired: withOwner(input.desired, shim.owner) };
  const [infrastructureCluster, controlPlane, workers] = yield* together([
    planObject(toInfrastructureChange(owned)),
    planControlPlane(owned),
    planWorkers(owned),
  ]);
  return { shim: shim.plan, infrastructureCluster, controlPlane, workers };
}

/** If the template of the class has an empty endpoint, the provider owns the endpoint. */
function toInfrastructureChange({ current, desired, names }: ChangesInput): ObjectChange {
  return {
    desired: desired.infrastructureCluster,
    current: current.infrastructureCluster ?? names.infrastructureCluster.existing,
    must: 'strict',
    ignored: emptyEndpointPaths(desired.infrastructureCluster),
  };
}
