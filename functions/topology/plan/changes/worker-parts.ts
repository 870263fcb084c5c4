// The parts of a MachineDeployment or a MachinePool: its object, and the objects that it references.

import { setAt } from '@capi-serverless/cluster-api/contract';
import type { CurrentMachineDeployment, CurrentMachinePool } from '../current/current-topology.ts';
import type { DesiredMachineDeployment, DesiredMachinePool } from '../desired/desired-topology.ts';
import type { ObjectChange } from './object-change.ts';
import { inOrder, type TopologyPlan, withPrefix } from './step.ts';
import type { PlannedTemplate, TemplateChange } from './template-change.ts';
import { type Worker, workerPrefix } from './worker-changes.ts';

export type DeploymentWorker = Worker<CurrentMachineDeployment, DesiredMachineDeployment>;
export type Pool = Worker<CurrentMachinePool, DesiredMachinePool>;

/** One plan or change for each reference of a worker. */
interface Referenced<Part> {
  readonly infrastructure: Part;
  readonly bootstrap: Part;
}

const versionAt = 'spec.template.spec.version';

export function toDeploymentTemplates({
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
export function toDeploymentChange(
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

/** Templates come before the object that references them. */
export function orderDeployment(
  { current }: DeploymentWorker,
  { infrastructure, bootstrap }: Referenced<PlannedTemplate>,
  object: TopologyPlan,
): readonly TopologyPlan[] {
  const prefix = workerPrefix('MachineDeployment', current);
  return [withPrefix(prefix, infrastructure.plan), withPrefix(prefix, bootstrap.plan), object];
}

export function toPoolParts({ current, desired, names }: Pool): Referenced<ObjectChange> & {
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

/** The referenced objects come before the MachinePool. */
export function orderPool(
  { current }: Pool,
  { infrastructure, bootstrap, object }: Referenced<TopologyPlan> & { readonly object: TopologyPlan },
): TopologyPlan {
  const prefix = workerPrefix('MachinePool', current);
  return inOrder([withPrefix(prefix, infrastructure), withPrefix(prefix, bootstrap), object]);
}
