// Plans the writes for MachineDeployments and MachinePools. Sends the API requests that the plan requires.

import { inOrder, type TopologyPlan } from '../../plan/changes/step.ts';
import { type DeploymentChanges, type PoolChanges, planWorkerDeletion } from '../../plan/changes/worker-changes.ts';
import {
  type DeploymentWorker,
  orderDeployment,
  orderPool,
  type Pool,
  toDeploymentChange,
  toDeploymentTemplates,
  toPoolParts,
} from '../../plan/changes/worker-parts.ts';
import { type PlanAsk, planHealthCheck, planObject, planTemplate } from './plan-object.ts';

/** Returns one plan. Planners are called in the order of their writes. */
export type Planner = () => Promise<TopologyPlan>;

export function machineDeploymentPlanners(
  { created, updated, deleted }: DeploymentChanges,
  ask: PlanAsk,
): readonly Planner[] {
  return [
    ...created.map(worker => () => createDeployment(worker, ask)),
    ...updated.map(worker => () => updateDeployment(worker, ask)),
    ...deleted.map(
      current => async () =>
        inOrder([
          await planHealthCheck({ current: current.healthCheck, desired: undefined }, ask),
          planWorkerDeletion(current),
        ]),
    ),
  ];
}

export function machinePoolPlanners({ created, updated, deleted }: PoolChanges, ask: PlanAsk): readonly Planner[] {
  return [
    ...created.map(worker => () => planPool(worker, ask)),
    ...updated.filter(({ isWritable }) => isWritable).map(worker => () => planPool(worker, ask)),
    ...deleted.map(current => async () => planWorkerDeletion(current)),
  ];
}

/** The health check is planned after its MachineDeployment. */
async function createDeployment(worker: DeploymentWorker, ask: PlanAsk): Promise<TopologyPlan> {
  const [healthCheck, parts] = await Promise.all([
    planHealthCheck({ current: undefined, desired: worker.desired.healthCheck }, ask),
    planDeploymentParts(worker, ask),
  ]);
  return inOrder([...parts, healthCheck]);
}

async function updateDeployment(worker: DeploymentChanges['updated'][number], ask: PlanAsk): Promise<TopologyPlan> {
  const { current, desired, isWritable } = worker;
  const [healthCheck, parts] = await Promise.all([
    planHealthCheck({ current: current.healthCheck, desired: desired.healthCheck }, ask),
    isWritable ? planDeploymentParts(worker, ask) : [],
  ]);
  return inOrder([healthCheck, ...parts]);
}

async function planDeploymentParts(worker: DeploymentWorker, ask: PlanAsk): Promise<readonly TopologyPlan[]> {
  const changes = toDeploymentTemplates(worker);
  const [infrastructure, bootstrap] = await Promise.all([
    planTemplate(changes.infrastructure, ask),
    planTemplate(changes.bootstrap, ask),
  ]);
  const templates = { infrastructure, bootstrap };
  return orderDeployment(worker, templates, await planObject(toDeploymentChange(worker, templates), ask));
}

async function planPool(worker: Pool, ask: PlanAsk): Promise<TopologyPlan> {
  const parts = toPoolParts(worker);
  const [infrastructure, bootstrap, object] = await Promise.all([
    planObject(parts.infrastructure, ask),
    planObject(parts.bootstrap, ask),
    planObject(parts.object, ask),
  ]);
  return orderPool(worker, { infrastructure, bootstrap, object });
}
