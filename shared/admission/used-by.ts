// Checks the parts of a ClusterClass that must not change while Clusters use it.
import { type FieldError, forbidden, quote } from '@capi-serverless/apimachinery';
import type { ClassSpec } from '../api/cluster-class/class-spec.ts';
import { type HealthCheck, isDefinedCheck } from '../api/topology-parts.ts';
import type { ClusterTopology } from '../topology/model/cluster-topology.ts';
import { problemsOfAutoscaling } from './autoscaling.ts';

/** A Cluster that uses the class. */
interface UsingCluster {
  readonly name: string;
  readonly namespace: string;
  readonly topology: ClusterTopology;
}

export function problemsOfUse(
  old: ClassSpec,
  spec: ClassSpec,
  clusters: readonly UsingCluster[],
): readonly FieldError[] {
  return [
    ...problemsOfMissingVersions(spec, clusters),
    ...problemsOfRemovedClasses(old, spec, { clusters, list: 'machineDeployments', kind: 'MachineDeploymentClass' }),
    ...problemsOfRemovedClasses(old, spec, { clusters, list: 'machinePools', kind: 'MachinePoolClass' }),
    ...problemsOfDroppedChecks(old, spec, clusters),
    ...clusters.flatMap(cluster => problemsOfAutoscaling(cluster, spec.workers.machineDeployments)),
  ];
}

function problemsOfMissingVersions(
  { kubernetesVersions }: ClassSpec,
  clusters: readonly UsingCluster[],
): readonly FieldError[] {
  return clusters
    .filter(({ topology }) => kubernetesVersions.length > 0 && !kubernetesVersions.includes(topology.version))
    .map(({ name, topology }) => {
      const detail = `Kubernetes Version ${topology.version} is used by Cluster ${quote(name)} but not set in ClusterClass`;
      return forbidden('spec.kubernetesVersions', detail);
    });
}

interface Removal {
  readonly clusters: readonly UsingCluster[];
  readonly list: 'machineDeployments' | 'machinePools';
  readonly kind: string;
}

function problemsOfRemovedClasses(
  old: ClassSpec,
  spec: ClassSpec,
  { clusters, list, kind }: Removal,
): readonly FieldError[] {
  const kept = new Set(spec.workers[list].map(each => each.class));
  const removed = new Set(old.workers[list].map(each => each.class).filter(name => !kept.has(name)));
  return clusters.flatMap(({ name, topology }) =>
    topology.workers[list]
      .filter(each => removed.has(each.class))
      .map(each => {
        const detail = `${kind} ${quote(each.class)} cannot be deleted because it is used by Cluster ${quote(name)}`;
        return forbidden(`spec.workers.${list}`, detail);
      }),
  );
}

/** A Cluster that enables health checks without defining them depends on those of its class. */
function relies({ enabled, ...check }: HealthCheck): boolean {
  return enabled === true && !isDefinedCheck({ enabled, ...check });
}

function problemsOfDroppedChecks(
  old: ClassSpec,
  spec: ClassSpec,
  clusters: readonly UsingCluster[],
): readonly FieldError[] {
  const isDropped = (before: HealthCheck, now: HealthCheck): boolean => isDefinedCheck(before) && !isDefinedCheck(now);
  const inUse = (field: string, using: readonly UsingCluster[]): readonly FieldError[] => {
    const names = quote(using.map(({ name }) => name).join(','));
    const detail = `healthCheck cannot be deleted because it is used by Cluster(s) ${names}`;
    return using.length === 0 ? [] : [forbidden(`${field}.healthCheck`, detail)];
  };
  const ofControlPlane = isDropped(old.controlPlane.healthCheck, spec.controlPlane.healthCheck)
    ? inUse(
        'spec.controlPlane',
        clusters.filter(({ topology }) => relies(topology.controlPlane.healthCheck)),
      )
    : [];
  const ofDeployments = spec.workers.machineDeployments.flatMap(each => {
    const before = old.workers.machineDeployments.find(({ class: name }) => name === each.class);
    const using = clusters.filter(({ topology }) =>
      topology.workers.machineDeployments.some(one => one.class === each.class && relies(one.healthCheck)),
    );
    return before !== undefined && isDropped(before.healthCheck, each.healthCheck)
      ? inUse(`spec.workers.machineDeployments[${each.class}]`, using)
      : [];
  });
  return [...ofControlPlane, ...ofDeployments];
}
