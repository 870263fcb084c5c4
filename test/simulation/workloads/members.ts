// Machines and the objects that own them, as plain data without controllers.
import type { Intent, Unstructured } from '@capi-serverless/apimachinery';
import { home } from './workload.ts';

const apiVersion = 'cluster.x-k8s.io/v1beta2';
const clusterNameLabel = 'cluster.x-k8s.io/cluster-name';

/** A Machine of Cluster `c1`. If there is an `owner`, it owns the Machine, so that both are deleted together. */
export function aMachineDeployment(name: string, owner?: Unstructured): Intent {
  const selector = { [clusterNameLabel]: 'c1', 'cluster.x-k8s.io/deployment-name': name };
  return {
    apiVersion,
    kind: 'MachineDeployment',
    metadata: toMetadata(name, owner),
    spec: {
      clusterName: 'c1',
      replicas: 2,
      selector: { matchLabels: selector },
      template: { metadata: { labels: selector }, spec: machineSpec(name) },
    },
  };
}

export function aMachine(name: string, owner?: Unstructured): Intent {
  return { apiVersion, kind: 'Machine', metadata: toMetadata(name, owner), spec: machineSpec(name) };
}

/** The same with a finalizer of a controller that does not run. */
export function aStuckMachine(name: string, owner?: Unstructured): Intent {
  const machine = aMachine(name, owner);
  return { ...machine, metadata: { ...machine.metadata, finalizers: [stuckFinalizer] } };
}

const stuckFinalizer = 'example.com/stuck';

export function machineRef(name: string) {
  return { apiVersion, kind: 'Machine', namespace: home, name };
}

function toMetadata(name: string, owner: Unstructured | undefined): Intent['metadata'] {
  const reference = owner && {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
  };
  return {
    name,
    namespace: home,
    labels: { [clusterNameLabel]: 'c1' },
    ...(reference === undefined ? {} : { ownerReferences: [reference] }),
  };
}

function machineSpec(name: string) {
  return {
    clusterName: 'c1',
    bootstrap: { dataSecretName: `${name}-bootstrap` },
    infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedMachine', name },
  };
}
