// The objects of the scenarios: Machine ns/m1 of MachineSet ms1 and MachineDeployment md1, FooConfig b1, FooMachine i1,
// Cluster c1, and Node n1 of its workload cluster.
import type { Instant, OwnerReference } from '@capi-serverless/apimachinery';
import { aCluster } from '../../../support/builders.ts';
import { ObjectBuilder, testStart, timestamp } from '../../../support/object-builder.ts';

export const now: Instant = testStart + 24 * 3_600_000;
export const logs = 'Please check controller logs for errors';
export const finalizer = 'machine.cluster.x-k8s.io';
const providerID = 'foo://1';

const core = 'cluster.x-k8s.io/v1beta2';
const clusterNameLabel = 'cluster.x-k8s.io/cluster-name';
const infraGroup = 'infrastructure.cluster.x-k8s.io';
const bootstrapGroup = 'bootstrap.cluster.x-k8s.io';
const configRef = { apiGroup: bootstrapGroup, kind: 'FooConfig', name: 'b1' };
const infrastructureRef = { apiGroup: infraGroup, kind: 'FooMachine', name: 'i1' };

export const clusterOwner: OwnerReference = { apiVersion: core, kind: 'Cluster', name: 'c1', uid: 'uid-1' };
const setOwner: OwnerReference = {
  apiVersion: core,
  kind: 'MachineSet',
  name: 'ms1',
  uid: 'ms-uid',
  controller: true,
  blockOwnerDeletion: true,
};
export const machineOwner: OwnerReference = {
  apiVersion: core,
  kind: 'Machine',
  name: 'm1',
  uid: 'm-uid',
  controller: true,
  blockOwnerDeletion: true,
};

export class TestObject extends ObjectBuilder {
  owners(...ownerReferences: readonly OwnerReference[]): this {
    return this.withMetadata({ ownerReferences });
  }

  /** Replaces the labels. */
  onlyLabelled(labels: Readonly<Record<string, string>>): this {
    return this.withMetadata({ labels });
  }
}

/** A Machine that was created just now. */
export function aFreshMachine(): TestObject {
  return new TestObject({ apiVersion: core, kind: 'Machine', name: 'm1' })
    .withUid('m-uid')
    .atGeneration(2)
    .atResourceVersion('7')
    .labelled({
      [clusterNameLabel]: 'c1',
      'cluster.x-k8s.io/set-name': 'ms1',
      'cluster.x-k8s.io/deployment-name': 'md1',
    })
    .owners(setOwner)
    .withSpec({
      clusterName: 'c1',
      version: 'v1.31.0',
      bootstrap: { configRef },
      infrastructureRef,
      deletion: { nodeDeletionTimeoutSeconds: 10 },
    });
}

/** A Machine with finalizer and Paused condition. */
export function aMachine(): TestObject {
  return aFreshMachine()
    .withFinalizers(finalizer)
    .withCondition('Paused', { status: 'False', reason: 'NotPaused', observedGeneration: 2 });
}

export function aCapiCluster() {
  return aCluster()
    .withUid('uid-1')
    .withStatus({ initialization: { infrastructureProvisioned: true } })
    .withCondition('ControlPlaneInitialized', { lastTransitionTime: timestamp(now - 3_600_000) })
    .withCondition('RemoteConnectionProbe');
}

const template = {
  spec: {
    clusterName: 'c1',
    version: 'v1.31.0',
    bootstrap: { configRef: { apiGroup: bootstrapGroup, kind: 'FooConfigTemplate', name: 'bt' } },
    infrastructureRef: { apiGroup: infraGroup, kind: 'FooMachineTemplate', name: 'it' },
  },
};
const revision = { 'machinedeployment.clusters.x-k8s.io/revision': '1' };

export function ms1(): TestObject {
  return new TestObject({ apiVersion: core, kind: 'MachineSet', name: 'ms1' })
    .withUid('ms-uid')
    .createdAt(now - 2 * 3_600_000)
    .labelled({ 'cluster.x-k8s.io/deployment-name': 'md1' })
    .annotated(revision)
    .withSpec({ clusterName: 'c1', selector: { matchLabels: { app: 'x' } }, template });
}

export function md1(): TestObject {
  return new TestObject({ apiVersion: core, kind: 'MachineDeployment', name: 'md1' })
    .annotated(revision)
    .withSpec({ clusterName: 'c1', selector: { matchLabels: { app: 'x' } }, template });
}

export const templateOf = (change: object) => ({ spec: { ...template.spec, ...change } });

/** A bootstrap config without owner and status. */
export function b1(): TestObject {
  return new TestObject({ apiVersion: `${bootstrapGroup}/v1`, kind: 'FooConfig', name: 'b1' });
}

export function i1(version = 'v1'): TestObject {
  return new TestObject({ apiVersion: `${infraGroup}/${version}`, kind: 'FooMachine', name: 'i1' }).withUid('i-uid');
}

const adopted = (object: TestObject): TestObject => object.owners(machineOwner).labelled({ [clusterNameLabel]: 'c1' });

export function bootstrapOk(): TestObject {
  return adopted(b1())
    .withStatus({ initialization: { dataSecretCreated: true }, dataSecretName: 's1' })
    .withCondition('Ready');
}

/** Adopted, and not yet provisioned. */
export function infraAdopted(): TestObject {
  return adopted(i1());
}

export function infraOk(version = 'v1'): TestObject {
  return adopted(i1(version))
    .withSpec({ providerID })
    .withStatus({
      initialization: { provisioned: true },
      addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      failureDomain: 'z1',
    })
    .withCondition('Ready');
}

const nodeAnnotations = {
  'cluster.x-k8s.io/cluster-name': 'c1',
  'cluster.x-k8s.io/cluster-namespace': 'ns',
  'cluster.x-k8s.io/machine': 'm1',
  'cluster.x-k8s.io/owner-kind': 'MachineSet',
  'cluster.x-k8s.io/owner-name': 'ms1',
  'cluster.x-k8s.io/labels-from-machine': '',
  'cluster.x-k8s.io/annotations-from-machine': '',
};

/** A healthy Node that no Machine has touched. */
export function aNewNode(name = 'n1'): TestObject {
  return new TestObject({ apiVersion: 'v1', kind: 'Node', name })
    .clusterScoped()
    .withUid(`${name}-uid`)
    .withSpec({ providerID })
    .withStatus({ nodeInfo: { kubeletVersion: 'v1.31.0' } })
    .withCondition('Ready')
    .withCondition('MemoryPressure', { status: 'False' })
    .withCondition('DiskPressure', { status: 'False' })
    .withCondition('PIDPressure', { status: 'False' });
}

export function nodeOk(name = 'n1'): TestObject {
  return aNewNode(name).annotated(nodeAnnotations);
}

export function aCrd(
  ref: { readonly apiGroup: string; readonly kind: string },
  labels: Readonly<Record<string, string>> = { 'cluster.x-k8s.io/v1beta2': 'v1' },
): TestObject {
  const name = `${ref.kind.toLowerCase()}s.${ref.apiGroup}`;
  return new TestObject({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name })
    .clusterScoped()
    .labelled(labels);
}

export const crds: readonly TestObject[] = [aCrd(configRef), aCrd(infrastructureRef)];

/** Another control plane Machine that is not being deleted. */
export const controlPlaneMachine: TestObject = new TestObject({
  apiVersion: core,
  kind: 'Machine',
  name: 'cpm',
}).labelled({
  [clusterNameLabel]: 'c1',
  'cluster.x-k8s.io/control-plane': '',
});
