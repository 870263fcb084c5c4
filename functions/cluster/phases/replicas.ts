// Computes status.controlPlane and status.workers: replica counters and versions.

import { type PartialObject, toRecord } from '@capi-serverless/apimachinery';
import { isTrue } from '@capi-serverless/cluster-api/conditions';
import { readReplicaCounters, readStatusVersions, type StatusVersion } from '@capi-serverless/cluster-api/contract';
import { isDefined } from '../../../shared/api/cluster/reader.ts';
import type { Machine } from '../../../shared/api/machine/reader.ts';
import type { InScope } from '../../../shared/external/external.ts';
import { countVersions, versionsOfMachines } from '../../../shared/machine-collections/machine-versions.ts';
import { sumOfReported } from '../../../shared/machine-collections/reported-sum.ts';
import { isOwnedBy, type KnownDescendants, standAloneWorkers } from './descendants.ts';
import type { PhaseScope } from './scope.ts';

type Stored = Readonly<Record<string, unknown>>;

/**
 * The fields that this file computes. `undefined` means that a field is unknown or that no object contributes to it.
 */
interface Replicas {
  readonly desiredReplicas: number | undefined;
  readonly replicas: number | undefined;
  readonly readyReplicas: number | undefined;
  readonly availableReplicas: number | undefined;
  readonly upToDateReplicas: number | undefined;
  readonly versions: readonly StatusVersion[] | undefined;
}

const nothing: Replicas = {
  desiredReplicas: undefined,
  replicas: undefined,
  readyReplicas: undefined,
  availableReplicas: undefined,
  upToDateReplicas: undefined,
  versions: undefined,
};

/** Returns status.controlPlane after this pass. Fields of other writers are kept. */
export function controlPlaneReplicas({ seen, controlPlane, descendants }: PhaseScope): Stored {
  const stored = toRecord(toRecord(seen.cluster.object.status)['controlPlane']);
  if (controlPlane.state === 'inScope') {
    return write(stored, fromObject(controlPlane));
  }
  if (seen.isLate && controlPlane.state === 'unknown') {
    return stored;
  }
  const { controlPlaneRef, topology } = seen.cluster.spec;
  if (isDefined(controlPlaneRef) || topology.isDefined) {
    return write(stored, nothing);
  }
  return descendants.known ? write(stored, fromControlPlaneMachines(descendants)) : stored;
}

/** Returns status.workers after this pass. Fields of other writers are kept. */
export function workerReplicas({ seen, descendants }: PhaseScope): Stored {
  const stored = toRecord(toRecord(seen.cluster.object.status)['workers']);
  if (!descendants.known) {
    return stored;
  }
  const isOwned = (object: PartialObject) => isOwnedBy(seen.cluster, object);
  const machines = standAloneWorkers(descendants).filter(isOwned);
  const { machinePools, machineDeployments, machineSets } = descendants;
  const groups = [...machinePools, ...machineDeployments, ...machineSets.filter(isOwned)];
  const counts = machines.map(countsOfMachine);
  return write(stored, {
    desiredReplicas: sumOfReported([...groups.map(group => group.spec.replicas), ...machines.map(() => 1)]),
    replicas: sumOfReported([...groups.map(group => group.status.replicas), ...machines.map(() => 1)]),
    readyReplicas: sumOfReported([
      ...groups.map(group => group.status.readyReplicas),
      ...counts.map(count => count.ready),
    ]),
    availableReplicas: sumOfReported([
      ...groups.map(group => group.status.availableReplicas),
      ...counts.map(count => count.available),
    ]),
    upToDateReplicas: sumOfReported([
      ...groups.map(group => group.status.upToDateReplicas),
      ...counts.map(count => count.upToDate),
    ]),
    versions: countVersions([...groups.flatMap(group => group.status.versions), ...versionsOfMachines(machines)]),
  });
}

/**
 * If the object does not report a counter as a number, the stored value is kept. If it reports no versions, the list is
 * removed.
 */
function fromObject({ object, contract }: InScope): Partial<Replicas> {
  const counters = readReplicaCounters(object, contract);
  const versions = readStatusVersions(object);
  const reported = Object.entries({
    desiredReplicas: counters.desired,
    replicas: counters.replicas,
    readyReplicas: counters.ready,
    availableReplicas: counters.available,
    upToDateReplicas: counters.upToDate,
  }).flatMap(([field, found]) => (found.state === 'value' ? [[field, found.value]] : []));
  if (versions.state === 'wrongType') {
    return Object.fromEntries(reported);
  }
  const listed = versions.state === 'value' && versions.value.length > 0 ? versions.value : undefined;
  return { ...Object.fromEntries(reported), versions: listed };
}

function fromControlPlaneMachines({ controlPlaneMachines }: KnownDescendants): Replicas {
  const counts = controlPlaneMachines.map(countsOfMachine);
  const total = sumOfReported(counts.map(() => 1));
  return {
    desiredReplicas: total,
    replicas: total,
    readyReplicas: sumOfReported(counts.map(count => count.ready)),
    availableReplicas: sumOfReported(counts.map(count => count.available)),
    upToDateReplicas: sumOfReported(counts.map(count => count.upToDate)),
    versions: countVersions(versionsOfMachines(controlPlaneMachines)),
  };
}

function countsOfMachine({ status }: Machine) {
  const countOf = (type: string) => (isTrue(status.conditions, type) ? 1 : undefined);
  return { ready: countOf('Ready'), available: countOf('Available'), upToDate: countOf('UpToDate') };
}

function write(stored: Stored, replicas: Partial<Replicas>): Stored {
  return Object.fromEntries(Object.entries({ ...stored, ...replicas }).filter(([, value]) => value !== undefined));
}
