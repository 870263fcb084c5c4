// Admission of a changed ClusterClass, and of its deletion.

import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { forbidsClassDeletion, usesClass } from '../../../../shared/admission/cluster-class.ts';
import { aSpec, controlPlane, deployments, ref, reported, worker } from './admission-class.ts';

function aCluster(topology: object, name = 'c', namespace = 'ns'): Unstructured {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { name, namespace, uid: 'u', resourceVersion: '1' },
    spec: { topology: { classRef: { name: 'cc' }, version: 'v1.36.0', ...topology } },
  };
}

/** Removes the namespace, as in a manifest without a namespace. */
function withoutNamespace(cluster: Unstructured): Unstructured {
  const { namespace: _, ...metadata } = cluster.metadata;
  return { ...cluster, metadata };
}

describe('a changed ClusterClass', () => {
  it('gets no machine infrastructure where there was none', () => {
    const old = aSpec({ controlPlane: { templateRef: controlPlane.templateRef } });
    expect(reported(aSpec(), { old })).toEqual([
      'spec.controlPlane.machineInfrastructure.templateRef.apiVersion: Forbidden: group of apiVersion cannot be changed from "" to "infrastructure.cluster.x-k8s.io" to prevent incompatible changes in the Clusters',
      'spec.controlPlane.machineInfrastructure.templateRef.kind: Forbidden: kind cannot be changed from "" to "AMachineTemplate" to prevent incompatible changes in the Clusters',
    ]);
  });

  it('has no group in an apiVersion that cannot be read', () => {
    const old = aSpec({ infrastructure: { templateRef: { ...ref('AClusterTemplate'), apiVersion: 'a/b/c' } } });
    expect(reported(aSpec(), { old })).toEqual([
      expect.stringContaining('group of apiVersion cannot be changed from "" to "infrastructure.cluster.x-k8s.io"'),
    ]);
  });

  it('keeps the kinds of its templates, but for those of bootstrap', () => {
    const now = worker('a', {
      infrastructure: { templateRef: ref('BMachineTemplate') },
      bootstrap: { templateRef: ref('BConfigTemplate') },
    });
    expect(reported(aSpec(deployments(now, worker('b'))), { old: aSpec(deployments(worker('a'))) })).toEqual([
      'spec.workers.machineDeployments[0].infrastructure.templateRef.kind: Forbidden: kind cannot be changed from "AMachineTemplate" to "BMachineTemplate" to prevent incompatible changes in the Clusters',
    ]);
  });

  it('keeps the versions, classes and health checks that Clusters use', () => {
    const check = { checks: { nodeStartupTimeoutSeconds: 60 } };
    const old = aSpec({
      controlPlane: { ...controlPlane, healthCheck: check },
      workers: { machineDeployments: [worker('a'), worker('b', { healthCheck: check })], machinePools: [worker('p')] },
    });
    const cluster = aCluster({
      controlPlane: { healthCheck: { enabled: true } },
      workers: {
        machineDeployments: [
          { name: 'x', class: 'a' },
          { name: 'y', class: 'b', healthCheck: { enabled: true } },
        ],
        machinePools: [{ name: 'z', class: 'p' }],
      },
    });
    expect(
      reported(aSpec({ ...deployments(worker('b')), kubernetesVersions: ['v1.35.0'] }), { old, usedBy: [cluster] }),
    ).toEqual([
      'spec.kubernetesVersions: Forbidden: Kubernetes Version v1.36.0 is used by Cluster "c" but not set in ClusterClass',
      'spec.workers.machineDeployments: Forbidden: MachineDeploymentClass "a" cannot be deleted because it is used by Cluster "c"',
      'spec.workers.machinePools: Forbidden: MachinePoolClass "p" cannot be deleted because it is used by Cluster "c"',
      'spec.controlPlane.healthCheck: Forbidden: healthCheck cannot be deleted because it is used by Cluster(s) "c"',
      'spec.workers.machineDeployments[b].healthCheck: Forbidden: healthCheck cannot be deleted because it is used by Cluster(s) "c"',
    ]);
    expect(reported(aSpec(deployments(worker('b'))), { old })).toEqual([]);
  });

  it('compares versions as topologies read them: with a leading v', () => {
    const cluster = aCluster({ version: '1.36.0' });
    expect(reported(aSpec({ kubernetesVersions: ['v1.36.0'] }), { old: aSpec(), usedBy: [cluster] })).toEqual([]);
  });

  it('allows either Clusters or an autoscaler to set the number of replicas', () => {
    const annotations = { 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size': '1' };
    const scaled = aSpec(deployments(worker('a', { metadata: { annotations } })));
    const cluster = aCluster({
      workers: {
        machineDeployments: [
          { name: 'x', class: 'a', replicas: 3, metadata: { annotations } },
          { name: 'y', class: 'a' },
        ],
      },
    });
    expect(reported(scaled, { old: scaled, usedBy: [withoutNamespace(cluster)] })[0]).toContain(
      'cluster "c" in namespace ""',
    );
    expect(reported(scaled, { old: scaled, usedBy: [cluster] })).toEqual([
      'spec.topology.workers.machineDeployments[x].replicas: Invalid value: 3: cannot be set for cluster "c" in namespace "ns" if the same MachineDeploymentTopology has autoscaler annotations',
      'spec.topology.workers.machineDeployments[x].replicas: Invalid value: 3: cannot be set for cluster "c" in namespace "ns" if the source class "a" of this MachineDeploymentTopology has autoscaler annotations',
    ]);
  });
});

describe('the deletion of a ClusterClass', () => {
  it('names three of the Clusters that use it, and counts the others', () => {
    const clusters = ['a', 'b', 'c', 'd', 'e'].map(name => aCluster({}, name));
    expect(forbidsClassDeletion(clusters)).toBe(
      'ClusterClass cannot be deleted because it is used by Cluster(s): ns/a, ns/b, ns/c, ... (2 more)',
    );
    expect(forbidsClassDeletion(clusters.slice(0, 1))).toMatch(/Cluster\(s\): ns\/a$/);
    expect(forbidsClassDeletion([])).toBeUndefined();
  });

  it.each([
    { cluster: aCluster({}), used: true, reason: 'the class of its own namespace' },
    { cluster: aCluster({}, 'c', 'other'), used: false, reason: 'the class of another namespace' },
    {
      cluster: aCluster({ classRef: { name: 'cc', namespace: 'ns' } }, 'c', 'other'),
      used: true,
      reason: 'it names the namespace',
    },
    { cluster: aCluster({ classRef: { name: 'dd' } }), used: false, reason: 'another class' },
    { cluster: { ...aCluster({}), apiVersion: 'v1' }, used: false, reason: 'not a Cluster of this API' },
    { cluster: withoutNamespace(aCluster({})), used: false, reason: 'a Cluster that is in no namespace yet' },
  ])('reads the reference of each: $reason', ({ cluster, used }) => {
    expect(usesClass(cluster, { namespace: 'ns', name: 'cc' })).toBe(used);
  });
});
