// Reads `Cluster.spec.topology`. Unreadable values are treated as absent.
import * as z from 'zod/mini';
import { count, listOf, section, text, textOrEmpty } from '../../api/fields.ts';
import {
  copied,
  copiedList,
  copiedObject,
  deletion,
  healthCheck,
  orderedDeletion,
  templateMetadata,
} from '../../api/topology-parts.ts';

/** `shared/variables` parses this field. */
const variables = section({ overrides: copied });

const controlPlane = section({
  metadata: templateMetadata,
  replicas: count,
  /** `after` is an RFC 3339 time. */
  rollout: section({ after: text }),
  healthCheck,
  deletion,
  taints: copiedList,
  readinessGates: copiedList,
  variables,
});

const worker = {
  name: textOrEmpty,
  class: textOrEmpty,
  metadata: templateMetadata,
  replicas: count,
  minReadySeconds: count,
  taints: copiedList,
  variables,
};

const machineDeployment = section({
  ...worker,
  failureDomain: text,
  healthCheck,
  deletion: orderedDeletion,
  readinessGates: copiedList,
  rollout: copiedObject,
});
export type MachineDeploymentTopology = z.output<typeof machineDeployment>;

const machinePool = section({ ...worker, failureDomains: copiedList, deletion });
export type MachinePoolTopology = z.output<typeof machinePool>;

/** Kubernetes versions have a leading "v". It is added to a stored version without it. */
const version = z.pipe(
  textOrEmpty,
  z.transform((stored: string) => (stored === '' ? '' : withPrefix(stored))),
);

export function withPrefix(stored: string): string {
  return stored.startsWith('v') ? stored : `v${stored}`;
}

const topology = section({
  classRef: section({ name: textOrEmpty, namespace: textOrEmpty }),
  version,
  controlPlane,
  workers: section({ machineDeployments: listOf(machineDeployment), machinePools: listOf(machinePool) }),
  variables: copied,
});
export type ClusterTopology = z.output<typeof topology>;

/** Never throws. `raw` is `spec.topology`. */
export function readClusterTopology(raw: unknown): ClusterTopology {
  return topology.parse(raw);
}
