// The writes for MachineDeployments and MachinePools, by topology name: what is new is created, what is there is changed,
// what no topology names any more goes.

import type { Cluster } from '../../../shared/api/cluster/reader.ts';
import { setAt } from '../../../shared/contract/path.ts';
import { deleteStep, inOrder, nothingToDo, type Plan, withPrefix } from '../../../shared/topology/changes/step.ts';
import { nameObject, toDeleted } from '../../../shared/topology/changes/words.ts';
import type { CurrentMachineDeployment, CurrentMachinePool } from '../../../shared/topology/model/current.ts';
import type { DesiredMachineDeployment, DesiredMachinePool } from '../../../shared/topology/model/desired.ts';
import type { WorkerNames } from '../../../shared/topology/model/names.ts';
import type { WorkerProgress } from '../../../shared/topology/model/versions.ts';
import { planHealthCheck } from './plan-health-check.ts';
import { type PlanAsk, planObject, planTemplate } from './plan-object.ts';

/** One plan each; called in this order, done in this order. */
export type Planner = () => Promise<Plan>;

interface Workers<Current, Desired> {
  readonly cluster: Cluster;
  readonly current: ReadonlyMap<string, Current>;
  readonly desired: ReadonlyMap<string, Desired>;
  readonly names: ReadonlyMap<string, WorkerNames>;
  readonly progress: WorkerProgress;
}

interface Worker<Current, Desired> {
  readonly cluster: Cluster;
  readonly topologyName: string;
  readonly current: Current | undefined;
  readonly desired: Desired;
  readonly names: WorkerNames | undefined;
}

const versionAt = 'spec.template.spec.version';

export function machineDeploymentPlanners(
  workers: Workers<CurrentMachineDeployment, DesiredMachineDeployment>,
  ask: PlanAsk,
): readonly Planner[] {
  return [
    ...created(workers).map(worker => () => planDeployment(worker, ask)),
    ...updated(workers).map(worker => () => updateDeployment(worker, workers.progress, ask)),
    ...gone(workers).map(current => () => removeDeployment(current, ask)),
  ];
}

export function machinePoolPlanners(
  workers: Workers<CurrentMachinePool, DesiredMachinePool>,
  ask: PlanAsk,
): readonly Planner[] {
  return [
    ...created(workers).map(worker => () => planPool(worker, ask)),
    ...updated(workers)
      .filter(({ current }) => isAtWork(current, workers.progress))
      .map(worker => () => planPool(worker, ask)),
    ...gone(workers).map(current => async () => remove(current)),
  ];
}

/** The health check, too, waits for the creation. */
function created<Current, Desired>({
  progress,
  ...workers
}: Workers<Current, Desired>): readonly Worker<Current, Desired>[] {
  return [...workers.desired]
    .filter(([topologyName]) => !workers.current.has(topologyName) && !progress.pendingCreate.has(topologyName))
    .map(([topologyName, desired]) => toWorker(workers, topologyName, desired));
}

type Known<Current, Desired> = Worker<Current, Desired> & { readonly current: Current };

function updated<Current, Desired>(
  workers: Omit<Workers<Current, Desired>, 'progress'>,
): readonly Known<Current, Desired>[] {
  return [...workers.desired].flatMap(([topologyName, desired]) => {
    const current = workers.current.get(topologyName);
    return current === undefined ? [] : [{ ...toWorker(workers, topologyName, desired), current }];
  });
}

function gone<Current, Desired>({ current, desired }: Workers<Current, Desired>): readonly Current[] {
  return [...current].filter(([topologyName]) => !desired.has(topologyName)).map(([, each]) => each);
}

function toWorker<Current, Desired>(
  { cluster, current, names }: Omit<Workers<Current, Desired>, 'progress'>,
  topologyName: string,
  desired: Desired,
): Worker<Current, Desired> {
  return { cluster, topologyName, desired, current: current.get(topologyName), names: names.get(topologyName) };
}

/** Neither being deleted nor waiting for its turn in an upgrade. */
function isAtWork(
  { object }: CurrentMachineDeployment | CurrentMachinePool,
  { pendingUpgrade }: WorkerProgress,
): boolean {
  return object.metadata.deletionTimestamp === undefined && !pendingUpgrade.has(object.metadata.name);
}

async function updateDeployment(
  worker: Known<CurrentMachineDeployment, DesiredMachineDeployment>,
  progress: WorkerProgress,
  ask: PlanAsk,
): Promise<Plan> {
  const { current, desired } = worker;
  const [healthCheck, rest] = await Promise.all([
    planHealthCheck({ current: current.healthCheck, desired: desired.healthCheck }, ask),
    isAtWork(current, progress) ? planDeploymentParts(worker, ask) : [],
  ]);
  return inOrder([healthCheck, ...rest]);
}

async function planDeployment(
  worker: Worker<CurrentMachineDeployment, DesiredMachineDeployment>,
  ask: PlanAsk,
): Promise<Plan> {
  const [healthCheck, parts] = await Promise.all([
    planHealthCheck({ current: undefined, desired: worker.desired.healthCheck }, ask),
    planDeploymentParts(worker, ask),
  ]);
  return inOrder([...parts, healthCheck]);
}

async function planDeploymentParts(
  { cluster, topologyName, current, desired, names }: Worker<CurrentMachineDeployment, DesiredMachineDeployment>,
  ask: PlanAsk,
): Promise<readonly Plan[]> {
  const prefix = prefixOf('MachineDeployment', current);
  const [infrastructure, bootstrap] = await Promise.all([
    planTemplate(
      {
        ...{ cluster, topologyName, role: 'MachineDeploymentInfrastructureTemplate', must: 'sameKind' },
        desired: desired.infrastructureTemplate,
        current: current?.infrastructureTemplate ?? names?.infrastructure.existing,
      },
      ask,
    ),
    planTemplate(
      {
        ...{ cluster, topologyName, role: 'MachineDeploymentBootstrapTemplate', must: 'sameNamespace' },
        desired: desired.bootstrapTemplate,
        current: current?.bootstrapTemplate ?? names?.bootstrap.existing,
      },
      ask,
    ),
  ]);
  const renamed = setAt(
    setAt(desired.object, 'spec.template.spec.infrastructureRef.name', infrastructure.name),
    'spec.template.spec.bootstrap.configRef.name',
    bootstrap.name,
  );
  const object = await planObject(
    { desired: renamed, current: current?.object ?? names?.object.existing, versionAt, isReferrer: true },
    ask,
  );
  return [withPrefix(prefix, infrastructure.plan), withPrefix(prefix, bootstrap.plan), object];
}

async function planPool(worker: Worker<CurrentMachinePool, DesiredMachinePool>, ask: PlanAsk): Promise<Plan> {
  const { current, desired, names } = worker;
  const prefix = prefixOf('MachinePool', current);
  const [infrastructure, bootstrap, object] = await Promise.all([
    planObject(
      {
        ...{ desired: desired.infrastructureObject, must: 'strict', isDisposable: true },
        current: current?.infrastructureObject ?? names?.infrastructure.existing,
      },
      ask,
    ),
    planObject(
      {
        ...{ desired: desired.bootstrapObject, must: 'strict', isDisposable: true },
        current: current?.bootstrapObject ?? names?.bootstrap.existing,
      },
      ask,
    ),
    planObject(
      { desired: desired.object, current: current?.object ?? names?.object.existing, versionAt, isReferrer: true },
      ask,
    ),
  ]);
  return inOrder([withPrefix(prefix, infrastructure), withPrefix(prefix, bootstrap), object]);
}

/** A new name never shows: the condition would change from try to try. */
function prefixOf(kind: string, current: CurrentMachineDeployment | CurrentMachinePool | undefined): string {
  return current === undefined ? `failed to create ${kind}` : `failed to reconcile ${nameObject(current.object)}`;
}

/** Its templates go with its last MachineSet. */
async function removeDeployment(current: CurrentMachineDeployment, ask: PlanAsk): Promise<Plan> {
  return inOrder([await planHealthCheck({ current: current.healthCheck, desired: undefined }, ask), remove(current)]);
}

function remove({ object }: CurrentMachineDeployment | CurrentMachinePool): Plan {
  const isGoing = object.metadata.deletionTimestamp !== undefined;
  return isGoing ? nothingToDo : { steps: [deleteStep(object, toDeleted(object))] };
}
