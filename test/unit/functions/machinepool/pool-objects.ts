// The objects of the scenarios: MachinePool ns/mp1 with bootstrap config b1 and infrastructure i1, Cluster c1, Nodes n1 and
// n2 of the machines p1 and p2.
import type { Instant, JsonObject } from '@capi-serverless/apimachinery';
import { aCluster } from '../../../support/builders.ts';
import { ObjectBuilder, testStart, timestamp } from '../../../support/object-builder.ts';
import { definitionOf } from '../../../support/provider-definitions.ts';

const hourMs = 3_600_000;
export const core = 'cluster.x-k8s.io/v1beta2';
const infrastructure = 'infrastructure.cluster.x-k8s.io/v1beta2';
const bootstrapVersion = 'bootstrap.cluster.x-k8s.io/v1beta2';
export const clusterNameLabel = 'cluster.x-k8s.io/cluster-name';
export const poolNameLabel = 'cluster.x-k8s.io/pool-name';
export const paused = 'cluster.x-k8s.io/paused';
export const scaledBy = 'cluster.x-k8s.io/replicas-managed-by';
export const finalizer = 'machinepool.cluster.x-k8s.io';
const uninitialized = { key: 'node.cluster.x-k8s.io/uninitialized', effect: 'NoSchedule' };

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;
const anything = { ...open };

/** Its objects may have any fields, of any type. */
function looseDefinition(kind: string, group: string) {
  const definition = definitionOf({ kind, group, contract: 'v1beta2' });
  const [version] = (definition['spec'] as { readonly versions: readonly object[] }).versions; // true: definitionOf writes one version
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } };
  return { ...definition, spec: { ...(definition['spec'] as object), versions: [{ ...version, schema }] } };
}

export const definitions = [
  looseDefinition('FooMachinePool', 'infrastructure.cluster.x-k8s.io'),
  looseDefinition('FooMachine', 'infrastructure.cluster.x-k8s.io'),
  looseDefinition('FooConfig', 'bootstrap.cluster.x-k8s.io'),
];

export class PoolTestObject extends ObjectBuilder {
  /** Sets these fields of the Machine template. Other fields do not change. */
  withTemplate(fields: JsonObject): this {
    const spec = this.object.spec as { readonly template?: { readonly spec?: JsonObject } } | undefined; // true: these objects have no other template
    const template = { ...spec?.template, spec: { ...spec?.template?.spec, ...fields } };
    return this.withSpec({ template });
  }

  unlabelled(): this {
    return this.withMetadata({ labels: {} });
  }
}

export function aCapiCluster() {
  return aCluster().withUid('uid-c1').withCondition('ControlPlaneInitialized').withCondition('RemoteConnectionProbe');
}

/** A MachinePool without conditions and finalizer. */
export function aNewPool(): PoolTestObject {
  return new PoolTestObject({ apiVersion: core, kind: 'MachinePool', name: 'mp1' })
    .withUid('uid-mp1')
    .labelled({ [clusterNameLabel]: 'c1' })
    .ownedBy({ apiVersion: core, kind: 'Cluster', metadata: { name: 'c1', uid: 'uid-c1' } } as never) // true: only these fields are read
    .withSpec({
      clusterName: 'c1',
      replicas: 2,
      template: {
        spec: {
          clusterName: 'c1',
          bootstrap: { configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'FooConfig', name: 'b1' } },
          infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'FooMachinePool', name: 'i1' },
        },
      },
    });
}

export function aPool(): PoolTestObject {
  return aNewPool()
    .withFinalizers(finalizer)
    .withCondition('Paused', { status: 'False', reason: 'NotPaused', observedGeneration: 1 });
}

export function aConfig(status: JsonObject = { initialization: { dataSecretCreated: true }, dataSecretName: 'sec' }) {
  return new PoolTestObject({ apiVersion: bootstrapVersion, kind: 'FooConfig', name: 'b1' })
    .withUid('uid-b1')
    .withSpec({})
    .withStatus(status);
}

export function anInfrastructure(
  status: JsonObject = { ready: true, replicas: 2 },
  providerIDList: unknown = ['p1', 'p2'],
) {
  return new PoolTestObject({ apiVersion: infrastructure, kind: 'FooMachinePool', name: 'i1' })
    .withUid('uid-i1')
    .withSpec(providerIDList === undefined ? {} : { providerIDList })
    .withStatus(status);
}

/** An object for one machine of the pool. */
export function aFooMachine(number: number, providerID = `p${number}`) {
  return new PoolTestObject({ apiVersion: infrastructure, kind: 'FooMachine', name: `x${number}` })
    .withUid(`uid-x${number}`)
    .labelled({ [clusterNameLabel]: 'c1', [poolNameLabel]: 'mp1' })
    .withSpec({ providerID });
}

export function aPoolMachine(name: string, of: string): PoolTestObject {
  return new PoolTestObject({ apiVersion: core, kind: 'Machine', name })
    .withUid(`uid-${name}`)
    .labelled({ [clusterNameLabel]: 'c1', [poolNameLabel]: 'mp1' })
    .withSpec({
      clusterName: 'c1',
      bootstrap: { dataSecretName: '' },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'FooMachine', name: of },
    });
}

export function aNode(number: number, ready: 'True' | 'False' = 'True', since: Instant = testStart - hourMs) {
  return new PoolTestObject({ apiVersion: 'v1', kind: 'Node', name: `n${number}` })
    .clusterScoped()
    .withSpec({ providerID: `p${number}`, taints: [uninitialized] })
    .withStatus({ nodeInfo: { kubeletVersion: 'v1.31.0' } })
    .withCondition('Ready', { status: ready, lastTransitionTime: timestamp(since) });
}
