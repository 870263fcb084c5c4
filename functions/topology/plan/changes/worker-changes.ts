// The MachineDeployments and MachinePools to create, change and delete. Keys are topology names.

import type { Cluster } from '../../../../shared/api/cluster/reader.ts';
import type { CurrentMachineDeployment, CurrentMachinePool } from '../current/current-topology.ts';
import type { DesiredMachineDeployment, DesiredMachinePool } from '../desired/desired-topology.ts';
import type { WorkerNames } from '../names/topology-names.ts';
import type { WorkerProgress } from '../upgrade/version-progress.ts';
import type { ChangesInput } from './changes-input.ts';

export interface Worker<Current, Desired> {
  readonly cluster: Cluster;
  readonly topologyName: string;
  readonly current: Current | undefined;
  readonly desired: Desired;
  readonly names: WorkerNames | undefined;
}

export type ExistingWorker<Current, Desired> = Worker<Current, Desired> & {
  readonly current: Current;
  /** False while the object is being deleted or its upgrade is pending. Then only its health check is written. */
  readonly isWritable: boolean;
};

/**
 * The order is: new workers, existing workers in the order of the topology, and workers that the topology no longer
 * contains.
 */
interface WorkerChanges<Current, Desired> {
  readonly created: readonly Worker<Current, Desired>[];
  readonly updated: readonly ExistingWorker<Current, Desired>[];
  readonly deleted: readonly Current[];
}

type DeploymentChanges = WorkerChanges<CurrentMachineDeployment, DesiredMachineDeployment>;
type PoolChanges = WorkerChanges<CurrentMachinePool, DesiredMachinePool>;

interface Workers<Current, Desired> {
  readonly cluster: Cluster;
  readonly current: ReadonlyMap<string, Current>;
  readonly desired: ReadonlyMap<string, Desired>;
  readonly names: ReadonlyMap<string, WorkerNames>;
  readonly progress: WorkerProgress;
}

export function toDeploymentChanges({ blueprint, current, desired, names, versions }: ChangesInput): DeploymentChanges {
  return toWorkerChanges({
    cluster: blueprint.cluster,
    current: current.machineDeployments,
    desired: desired.machineDeployments,
    names: names.machineDeployments,
    progress: versions.machineDeployments,
  });
}

export function toPoolChanges({ blueprint, current, desired, names, versions }: ChangesInput): PoolChanges {
  return toWorkerChanges({
    cluster: blueprint.cluster,
    current: current.machinePools,
    desired: desired.machinePools,
    names: names.machinePools,
    progress: versions.machinePools,
  });
}

function toWorkerChanges<Current extends CurrentMachineDeployment | CurrentMachinePool, Desired>(
  workers: Workers<Current, Desired>,
): WorkerChanges<Current, Desired> {
  const { current, desired, progress } = workers;
  const created = [...desired.keys()].filter(name => !current.has(name) && !progress.pendingCreate.has(name));
  return {
    created: toWorkers(workers).filter(({ topologyName }) => created.includes(topologyName)),
    updated: toWorkers(workers).flatMap(worker =>
      worker.current === undefined
        ? []
        : [{ ...worker, current: worker.current, isWritable: isWritable(worker.current, progress) }],
    ),
    deleted: [...current].filter(([topologyName]) => !desired.has(topologyName)).map(([, each]) => each),
  };
}

function toWorkers<Current, Desired>({
  cluster,
  current,
  desired,
  names,
}: Workers<Current, Desired>): readonly Worker<Current, Desired>[] {
  return [...desired].map(([topologyName, each]) => ({
    cluster,
    topologyName,
    desired: each,
    current: current.get(topologyName),
    names: names.get(topologyName),
  }));
}

function isWritable(
  { object }: CurrentMachineDeployment | CurrentMachinePool,
  { pendingUpgrade }: WorkerProgress,
): boolean {
  return object.metadata.deletionTimestamp === undefined && !pendingUpgrade.has(object.metadata.name);
}
