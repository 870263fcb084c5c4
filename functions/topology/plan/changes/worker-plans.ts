// The writes for MachineDeployments and MachinePools: their objects, and the objects that these reference.

import { setAt } from '@capi-serverless/cluster-api/contract';
import { type AskingPlan, together } from '@capi-serverless/reconciler';
import { nameObject, toDeleted } from '../change-texts.ts';
import type { CurrentMachineDeployment, CurrentMachinePool } from '../current/current-topology.ts';
import type { DesiredMachineDeployment, DesiredMachinePool } from '../desired/desired-topology.ts';
import type { DryRunQuestion, ReadQuestion } from '../questions.ts';
import type { ChangesInput } from './changes-input.ts';
import { planHealthCheck } from './health-check-change.ts';
import { type ObjectChange, planObject } from './object-change.ts';
import { deleteStep, inOrder, nothingToDo, type PlannedWrites, withPrefix } from './step.ts';
import { type PlannedTemplate, planTemplate, type TemplateChange } from './template-change.ts';
import { type ExistingWorker, toDeploymentChanges, toPoolChanges, type Worker } from './worker-changes.ts';

type DeploymentWorker = Worker<CurrentMachineDeployment, DesiredMachineDeployment>;
type ExistingDeployment = ExistingWorker<CurrentMachineDeployment, DesiredMachineDeployment>;
type Pool = Worker<CurrentMachinePool, DesiredMachinePool>;
type Asked = DryRunQuestion | ReadQuestion;

/** The number of workers that are planned at the same time. Each of them sends at most eight dry runs at once. */
const mostAtOnce = 6;

/** Returns one plan for each worker, in the order of the writes: MachineDeployments, then MachinePools. */
export function* planWorkers(input: ChangesInput): AskingPlan<Asked, readonly PlannedWrites[]> {
  const deployments = toDeploymentChanges(input);
  const pools = toPoolChanges(input);
  const workers: readonly AskingPlan<Asked, PlannedWrites>[] = [
    ...deployments.created.map(createDeployment),
    ...deployments.updated.map(updateDeployment),
    ...deployments.deleted.map(planDeletion),
    ...pools.created.map(planPool),
    ...pools.updated.filter(({ isWritable }) => isWritable).map(planPool),
    ...pools.deleted.map(planDeletion),
  ];
  const plans: PlannedWrites[] = [];
  for (let start = 0; start < workers.length; start += mostAtOnce) {
    plans.push(...(yield* together(workers.slice(start, start + mostAtOnce))));
  }
  return plans;
}

/** The health check is written after its MachineDeployment. */
function* createDeployment(worker: DeploymentWorker): AskingPlan<Asked, PlannedWrites> {
  const [healthCheck, parts] = yield* together([
    planHealthCheck({ current: undefined, desired: worker.desired.healthCheck }),
    planDeploymentParts(worker),
  ]);
  return inOrder([...parts, healthCheck]);
}

function* updateDeployment(worker: ExistingDeployment): AskingPlan<Asked, PlannedWrites> {
  const { current, desired, isWritable } = worker;
  const checks = planHealthCheck({ current: current.healthCheck, desired: desired.healthCheck });
  if (!isWritable) {
    return yield* checks;
  }
  const [healthCheck, parts] = yield* together([checks, planDeploymentParts(worker)]);
  return inOrder([healthCheck, ...parts]);
}

/** The templates of a MachineDeployment are deleted with its last MachineSet. A MachinePool has no health check. */
function* planDeletion({
  object,
  healthCheck,
}: CurrentMachinePool & Pick<CurrentMachineDeployment, 'healthCheck'>): AskingPlan<Asked, PlannedWrites> {
  const isThere = object.metadata.deletionTimestamp === undefined;
  return inOrder([
    yield* planHealthCheck({ current: healthCheck, desired: undefined }),
    isThere ? { steps: [deleteStep(object, toDeleted(object))] } : nothingToDo,
  ]);
}

/** Templates come before the object that references them. */
function* planDeploymentParts(worker: DeploymentWorker): AskingPlan<Asked, readonly PlannedWrites[]> {
  const changes = toDeploymentTemplates(worker);
  const [infrastructure, bootstrap] = yield* together([
    planTemplate(changes.infrastructure),
    planTemplate(changes.bootstrap),
  ]);
  const object = yield* planObject(toDeploymentChange(worker, { infrastructure, bootstrap }));
  const prefix = workerPrefix('MachineDeployment', worker.current);
  return [withPrefix(prefix, infrastructure.plan), withPrefix(prefix, bootstrap.plan), object];
}

/** The referenced objects come before the MachinePool. */
function* planPool(worker: Pool): AskingPlan<Asked, PlannedWrites> {
  const parts = toPoolParts(worker);
  const [infrastructure, bootstrap, object] = yield* together([
    planObject(parts.infrastructure),
    planObject(parts.bootstrap),
    planObject(parts.object),
  ]);
  const prefix = workerPrefix('MachinePool', worker.current);
  return inOrder([withPrefix(prefix, infrastructure), withPrefix(prefix, bootstrap), object]);
}

/**
 * The prefix of problems with templates and references of a worker. A generated name would change the condition at each
 * retry.
 */
function workerPrefix(
  kind: 'MachineDeployment' | 'MachinePool',
  current: CurrentMachineDeployment | CurrentMachinePool | undefined,
): string {
  return current === undefined ? `failed to create ${kind}` : `failed to reconcile ${nameObject(current.object)}`;
}

/** One plan or change for each reference of a worker. */
interface Referenced<Part> {
  readonly infrastructure: Part;
  readonly bootstrap: Part;
}

const versionAt = 'spec.template.spec.version';

function toDeploymentTemplates({
  cluster,
  topologyName,
  current,
  desired,
  names,
}: DeploymentWorker): Referenced<TemplateChange> {
  return {
    infrastructure: {
      cluster,
      topologyName,
      role: 'MachineDeploymentInfrastructureTemplate',
      must: 'sameKind',
      desired: desired.infrastructureTemplate,
      current: current?.infrastructureTemplate ?? names?.infrastructure.existing,
    },
    bootstrap: {
      cluster,
      topologyName,
      role: 'MachineDeploymentBootstrapTemplate',
      must: 'sameNamespace',
      desired: desired.bootstrapTemplate,
      current: current?.bootstrapTemplate ?? names?.bootstrap.existing,
    },
  };
}

/** Returns the MachineDeployment with the planned names of its templates. */
function toDeploymentChange(
  { current, desired, names }: DeploymentWorker,
  { infrastructure, bootstrap }: Referenced<PlannedTemplate>,
): ObjectChange {
  const renamed = setAt(
    setAt(desired.object, 'spec.template.spec.infrastructureRef.name', infrastructure.name),
    'spec.template.spec.bootstrap.configRef.name',
    bootstrap.name,
  );
  return { desired: renamed, current: current?.object ?? names?.object.existing, versionAt, isReferrer: true };
}

function toPoolParts({ current, desired, names }: Pool): Referenced<ObjectChange> & {
  readonly object: ObjectChange;
} {
  return {
    infrastructure: {
      desired: desired.infrastructureObject,
      must: 'strict',
      isDisposable: true,
      current: current?.infrastructureObject ?? names?.infrastructure.existing,
    },
    bootstrap: {
      desired: desired.bootstrapObject,
      must: 'strict',
      isDisposable: true,
      current: current?.bootstrapObject ?? names?.bootstrap.existing,
    },
    object: {
      desired: desired.object,
      versionAt,
      isReferrer: true,
      current: current?.object ?? names?.object.existing,
    },
  };
}
