// Plans the writes that change the current state of a topology to the desired state.
import type { ChangesInput } from '../../plan/changes/changes-input.ts';
import { toInfrastructureChange } from '../../plan/changes/infrastructure-change.ts';
import type { Changes } from '../../plan/changes/ordered-changes.ts';
import { withOwner } from '../../plan/changes/shim-change.ts';
import { nothingToDo, type TopologyPlan } from '../../plan/changes/step.ts';
import { toDeploymentChanges, toPoolChanges } from '../../plan/changes/worker-changes.ts';
import { observeShim } from './observe-shim.ts';
import { planControlPlane } from './plan-control-plane.ts';
import { type PlanAsk, planObject } from './plan-object.ts';
import { machineDeploymentPlanners, machinePoolPlanners, type Planner } from './plan-workers.ts';

/**
 * Sends dry runs only if the objects that were read do not prove whether an apply changes something. If a part cannot
 * be planned, its plan contains the failure. The parts before it are still written.
 */
export async function planChanges(input: ChangesInput, ask: PlanAsk): Promise<Changes> {
  const shim = await observeShim(input.blueprint.cluster, input.current, ask);
  if (shim.plan.failure !== undefined) {
    return { shim: shim.plan, infrastructureCluster: nothingToDo, controlPlane: nothingToDo, workers: [] };
  }
  const owned = shim.owner === undefined ? input : { ...input, desired: withOwner(input.desired, shim.owner) };
  const [infrastructureCluster, controlPlane, workers] = await Promise.all([
    planObject(toInfrastructureChange(owned), ask),
    planControlPlane(owned, ask),
    someAtOnce([
      ...machineDeploymentPlanners(toDeploymentChanges(owned), ask),
      ...machinePoolPlanners(toPoolChanges(owned), ask),
    ]),
  ]);
  return { shim: shim.plan, infrastructureCluster, controlPlane, workers };
}

/** The number of workers that are planned at the same time. Each of them sends at most eight dry runs at once. */
const mostAtOnce = 6;

/** Returns the plans in the order of the planners. */
async function someAtOnce(planners: readonly Planner[]): Promise<readonly TopologyPlan[]> {
  const plans: TopologyPlan[] = [];
  for (let start = 0; start < planners.length; start += mostAtOnce) {
    plans.push(...(await Promise.all(planners.slice(start, start + mostAtOnce).map(plan => plan()))));
  }
  return plans;
}
