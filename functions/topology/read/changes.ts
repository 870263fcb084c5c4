// Which writes turn what is there of a topology into what shall be there.
import type { Intent, OwnerReference } from '../../../shared/api/object.ts';
import type { Changes } from '../../../shared/topology/changes/changes.ts';
import { nothingToDo, type Plan } from '../../../shared/topology/changes/step.ts';
import { emptyEndpointPaths } from '../../../shared/topology/intent/filter.ts';
import type { Blueprint } from '../../../shared/topology/model/blueprint.ts';
import type { Current } from '../../../shared/topology/model/current.ts';
import type { Desired } from '../../../shared/topology/model/desired.ts';
import type { TopologyNames } from '../../../shared/topology/model/names.ts';
import type { Versions } from '../../../shared/topology/model/versions.ts';
import { planControlPlane } from './plan-control-plane.ts';
import { type PlanAsk, planObject } from './plan-object.ts';
import { planShim } from './plan-shim.ts';
import { machineDeploymentPlanners, machinePoolPlanners, type Planner } from './plan-workers.ts';

export interface ChangesInput {
  readonly blueprint: Blueprint;
  readonly current: Current;
  readonly desired: Desired;
  readonly names: TopologyNames;
  readonly versions: Versions;
}

/**
 * Asks the API server only where what was read leaves it open whether something changes. What cannot be planned is the failure of
 * its part; the parts before it are still to be done.
 */
export async function planChanges(input: ChangesInput, ask: PlanAsk): Promise<Changes> {
  const { cluster } = input.blueprint;
  const shim = await planShim(cluster, input.current, ask);
  if (shim.plan.failure !== undefined) {
    return { shim: shim.plan, infrastructureCluster: nothingToDo, controlPlane: nothingToDo, workers: [] };
  }
  const owned = shim.owner === undefined ? input : { ...input, desired: withOwner(input.desired, shim.owner) };
  const [infrastructureCluster, controlPlane, workers] = await Promise.all([
    planInfrastructureCluster(owned, ask),
    planControlPlane(owned, ask),
    someAtOnce(workerPlanners(owned, ask)),
  ]);
  return { shim: shim.plan, infrastructureCluster, controlPlane, workers };
}

function planInfrastructureCluster({ current, desired, names }: ChangesInput, ask: PlanAsk): Promise<Plan> {
  return planObject(
    {
      desired: desired.infrastructureCluster,
      current: current.infrastructureCluster ?? names.infrastructureCluster.existing,
      must: 'strict',
      ignored: emptyEndpointPaths(desired.infrastructureCluster),
    },
    ask,
  );
}

function workerPlanners(
  { blueprint, current, desired, names, versions }: ChangesInput,
  ask: PlanAsk,
): readonly Planner[] {
  const { cluster } = blueprint;
  const deployments = {
    ...{ cluster, current: current.machineDeployments, desired: desired.machineDeployments },
    ...{ names: names.machineDeployments, progress: versions.machineDeployments },
  };
  const pools = {
    ...{ cluster, current: current.machinePools, desired: desired.machinePools },
    ...{ names: names.machinePools, progress: versions.machinePools },
  };
  return [...machineDeploymentPlanners(deployments, ask), ...machinePoolPlanners(pools, ask)];
}

function withOwner(desired: Desired, owner: OwnerReference): Desired {
  const { infrastructureCluster, controlPlane } = desired;
  return {
    ...desired,
    infrastructureCluster: owned(infrastructureCluster, owner),
    controlPlane: { ...controlPlane, object: owned(controlPlane.object, owner) },
  };
}

/** A reference to a shim that is no more gives way. */
function owned(object: Intent, owner: OwnerReference): Intent {
  const { ownerReferences = [], ...metadata } = object.metadata;
  const others = ownerReferences.filter(({ kind, name }) => kind !== owner.kind || name !== owner.name);
  return { ...object, metadata: { ...metadata, ownerReferences: [...others, owner] } };
}

/** Topologies of workers that are compared at the same time; each asks for at most eight dry runs at once. */
const mostAtOnce = 6;

/** Their plans, in order. */
async function someAtOnce(planners: readonly Planner[]): Promise<readonly Plan[]> {
  const plans: Plan[] = [];
  for (let start = 0; start < planners.length; start += mostAtOnce) {
    plans.push(...(await Promise.all(planners.slice(start, start + mostAtOnce).map(plan => plan()))));
  }
  return plans;
}
