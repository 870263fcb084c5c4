// MachineHealthChecks of a topology.

import { memberOf } from '@capi-serverless/apimachinery';
import { type Cluster, clusterApiVersion } from '../../../../shared/api/cluster/reader.ts';
import { type HealthCheck, isDefinedCheck } from '../../../../shared/api/topology-parts.ts';
import { controlPlaneLabel, deploymentNameLabel, ownedLabel } from '../../../../shared/topology/model/keys.ts';
import type { NamespacedIntent } from './clone.ts';
import { present, withoutEmpty } from './fields.ts';
import { clusterAsOwner, type Texts, topologyLabels } from './topology-metadata.ts';

/** https://pkg.go.dev/sigs.k8s.io/cluster-api/api/core/v1beta2#MachineHealthCheckChecks */
const defaultNodeStartupTimeoutSeconds = 600;

/** The target of a health check: an object of the topology. Both have the same name. */
interface Watched {
  readonly cluster: Cluster;
  readonly object: NamespacedIntent;
  readonly selector: Texts;
}

/** Selects the Machines of the control plane. */
export const controlPlaneSelector: Texts = { [ownedLabel]: '', [controlPlaneLabel]: '' };

/** Selects the Machines of one MachineDeployment topology. */
export function machineDeploymentSelector(topologyName: string): Texts {
  return { [ownedLabel]: '', [deploymentNameLabel]: topologyName };
}

/**
 * Returns the whole check of the topology if it defines one, or else the check of the class. Returns undefined if
 * neither defines a check or the topology disables it.
 */
export function computeHealthCheck(
  topology: HealthCheck,
  ofClass: HealthCheck | undefined,
  watched: Watched,
): NamespacedIntent | undefined {
  const check = isDefinedCheck(topology) ? topology : ofClass;
  if (topology.enabled === false || check === undefined || !isDefinedCheck(check)) {
    return undefined;
  }
  const { cluster, object, selector } = watched;
  const { name, namespace } = object.metadata;
  return {
    apiVersion: clusterApiVersion,
    kind: 'MachineHealthCheck',
    metadata: { name, namespace, labels: topologyLabels(cluster), ownerReferences: [clusterAsOwner(cluster)] },
    spec: present({
      clusterName: cluster.metadata.name,
      selector: { matchLabels: selector },
      checks: toChecks(check),
      remediation: toRemediation(check),
    }),
  };
}

function toChecks({ checks }: HealthCheck): unknown {
  const nodeStartupTimeoutSeconds = memberOf(checks, 'nodeStartupTimeoutSeconds');
  return withoutEmpty({
    nodeStartupTimeoutSeconds: nodeStartupTimeoutSeconds ?? defaultNodeStartupTimeoutSeconds,
    unhealthyNodeConditions: memberOf(checks, 'unhealthyNodeConditions'),
    unhealthyMachineConditions: memberOf(checks, 'unhealthyMachineConditions'),
  });
}

/** `maxInFlight` belongs to the MachineDeployment. */
function toRemediation({ remediation }: HealthCheck): unknown {
  const triggerIf = memberOf(remediation, 'triggerIf');
  return withoutEmpty({
    triggerIf: {
      unhealthyLessThanOrEqualTo: memberOf(triggerIf, 'unhealthyLessThanOrEqualTo'),
      unhealthyInRange: memberOf(triggerIf, 'unhealthyInRange'),
    },
    templateRef: memberOf(remediation, 'templateRef'),
  });
}
