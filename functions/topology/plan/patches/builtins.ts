// The builtin variables: facts about objects of a topology that patches can use. Empty members are absent.
// https://cluster-api.sigs.k8s.io/tasks/experimental-features/cluster-class/write-clusterclass#builtin-variables

import { type Intent, type JsonObject, toRecord, withoutUndefined } from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { Blueprint } from '../../../../shared/topology/model/blueprint.ts';
import type {
  MachineDeploymentTopology,
  MachinePoolTopology,
} from '../../../../shared/topology/model/cluster-topology.ts';
import {
  conversionDataAnnotation,
  lastAppliedAnnotation,
  ownedLabel,
  upgradeStepAnnotation,
} from '../../../../shared/topology/model/keys.ts';
import type { Desired } from '../desired/desired-topology.ts';

/** `cluster`: the Cluster after this pass, in the target version. */
export function clusterBuiltins({ cluster, topology, className }: Blueprint, { upgradeStep }: Desired): JsonObject {
  const { name, namespace, uid, labels, annotations } = cluster.metadata;
  const network = toRecord(toRecord(cluster.object.spec)['clusterNetwork']);
  return {
    cluster: filled({
      name,
      namespace,
      uid,
      metadata: filled({
        labels: { ...labels, [clusterNameLabel]: name, [ownedLabel]: '' },
        annotations: withoutUndefined({ ...withoutCopies(annotations), [upgradeStepAnnotation]: upgradeStep }),
      }),
      topology: filled({
        version: topology.version,
        classRef: filled({ name: className.name, namespace: className.namespace }),
        class: className.name,
        classNamespace: className.namespace,
      }),
      network: filled({
        serviceDomain: network['serviceDomain'],
        services: toRecord(network['services'])['cidrBlocks'],
        pods: toRecord(network['pods'])['cidrBlocks'],
      }),
    }),
  };
}

/** `controlPlane`: the control plane in its desired version for this pass. */
export function controlPlaneBuiltins({ topology }: Blueprint, { controlPlane }: Desired): JsonObject {
  const { object, machineTemplate } = controlPlane;
  return {
    controlPlane: filled({
      name: object.metadata.name,
      version: toRecord(object['spec'])['version'],
      replicas: topology.controlPlane.replicas,
      metadata: metadataOf(object),
      machineTemplate: machineTemplate && { infrastructureRef: { name: machineTemplate.metadata.name } },
    }),
  };
}

interface WorkerObjects {
  readonly topology: MachineDeploymentTopology | MachinePoolTopology;
  readonly object: Intent;
  readonly bootstrap: Intent;
  readonly infrastructure: Intent;
}

/** The members of `machineDeployment` and `machinePool`. */
export function workerBuiltins({ topology, object, bootstrap, infrastructure }: WorkerObjects): JsonObject {
  const template = toRecord(toRecord(object['spec'])['template']);
  return filled({
    name: object.metadata.name,
    class: topology.class,
    topologyName: topology.name,
    version: toRecord(template['spec'])['version'],
    replicas: topology.replicas,
    metadata: metadataOf(object),
    bootstrap: { configRef: { name: bootstrap.metadata.name } },
    infrastructureRef: { name: infrastructure.metadata.name },
  });
}

/** Removes annotations that contain a copy of the object. */
export function withoutCopies<T>(annotations: Readonly<Record<string, T>> = {}): Readonly<Record<string, T>> {
  const kept = Object.entries(annotations).filter(
    ([key]) => key !== lastAppliedAnnotation && key !== conversionDataAnnotation,
  );
  return Object.fromEntries(kept);
}

function metadataOf({ metadata: { labels, annotations } }: Intent): JsonObject {
  return filled({ labels, annotations });
}

/** Removes undefined members, empty texts, empty lists and empty objects. */
function filled(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    (typeof value === 'object' && Object.keys(value).length === 0)
  );
}
