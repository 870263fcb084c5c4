// Builders of test objects: one per kind, valid by default.
import { groupOf } from '@capi-serverless/apimachinery';
import { type Built, built, fieldsOf, ObjectBuilder } from './object-builder.ts';

const coreVersion = 'cluster.x-k8s.io/v1beta2';
const infrastructureGroup = 'infrastructure.cluster.x-k8s.io';
const clusterNameLabel = 'cluster.x-k8s.io/cluster-name';
const testVersion = 'v1.35.0';

/** The counters that MachineDeployments, MachineSets and MachinePools report. */
interface Counters {
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly upToDateReplicas?: number;
}

interface ContractReference {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

function toReference(of: Built | ContractReference): ContractReference {
  if ('apiGroup' in of) {
    return of;
  }
  const { apiVersion, kind, metadata } = built(of);
  return { apiGroup: groupOf(apiVersion), kind, name: metadata.name };
}

/** Objects that belong to a Cluster by label, and by `spec.clusterName` if the kind has this field. */
class BelongingBuilder extends ObjectBuilder {
  ofCluster(cluster: Built | string): this {
    const name = typeof cluster === 'string' ? cluster : built(cluster).metadata.name;
    return this.labelled({ [clusterNameLabel]: name });
  }
}

export class ClusterBuilder extends ObjectBuilder {
  paused(): this {
    return this.withSpec({ paused: true });
  }

  withInfrastructureRef(to: Built | ContractReference = anInfraCluster()): this {
    return this.withSpec({ infrastructureRef: toReference(to) });
  }

  withControlPlaneRef(to: Built | ContractReference = aControlPlane()): this {
    return this.withSpec({ controlPlaneRef: toReference(to) });
  }

  withEndpoint(host: string, port = 6443): this {
    return this.withSpec({ controlPlaneEndpoint: { host, port } });
  }

  withTopology(topology: {
    readonly class: string;
    readonly version?: string;
    readonly [field: string]: unknown;
  }): this {
    const { class: name, version = testVersion, ...others } = topology;
    return this.withSpec({ topology: { classRef: { name }, version, ...others } });
  }

  inPhase(phase: string): this {
    return this.withStatus({ phase });
  }

  infrastructureProvisioned(): this {
    return this.withInitialization({ infrastructureProvisioned: true });
  }

  controlPlaneInitialized(): this {
    return this.withInitialization({ controlPlaneInitialized: true });
  }

  private withInitialization(milestone: Readonly<Record<string, boolean>>): this {
    const reached = fieldsOf(fieldsOf(this.object.status)['initialization']);
    return this.withStatus({ initialization: { ...reached, ...milestone } });
  }
}

/** Infrastructure of the simulated provider with contract v1beta2. */
export class InfraClusterBuilder extends BelongingBuilder {
  provisioned(): this {
    return this.withStatus({ initialization: { provisioned: true } });
  }

  withEndpoint(host: string, port = 6443): this {
    return this.withSpec({ controlPlaneEndpoint: { host, port } });
  }

  /** Sets these failure domains, all of them for control planes. */
  withFailureDomains(...names: readonly string[]): this {
    return this.withStatus({ failureDomains: names.map(name => ({ name, controlPlane: true })) });
  }
}

/** The same with contract v1beta1. */
export class LegacyInfraClusterBuilder extends InfraClusterBuilder {
  override provisioned(): this {
    return this.withStatus({ ready: true });
  }

  override withFailureDomains(...names: readonly string[]): this {
    return this.withStatus({ failureDomains: Object.fromEntries(names.map(name => [name, { controlPlane: true }])) });
  }
}

/** A control plane of the simulated provider. */
export class ControlPlaneBuilder extends BelongingBuilder {
  withVersion(version: string): this {
    return this.withSpec({ version });
  }

  withReplicas(replicas: number): this {
    return this.withSpec({ replicas });
  }

  initialized(): this {
    return this.withStatus({ initialization: { controlPlaneInitialized: true } });
  }

  withCounters(counters: Counters): this {
    return this.withStatus({ ...counters });
  }
}

/** Kinds with the field `spec.clusterName`. */
class ClusterMemberBuilder extends BelongingBuilder {
  override ofCluster(cluster: Built | string): this {
    const name = typeof cluster === 'string' ? cluster : built(cluster).metadata.name;
    return super.ofCluster(name).withSpec({ clusterName: name });
  }

  inPhase(phase: string): this {
    return this.withStatus({ phase });
  }
}

export class MachineBuilder extends ClusterMemberBuilder {
  /** Makes the Machine a control plane machine. */
  controlPlane(): this {
    return this.labelled({ 'cluster.x-k8s.io/control-plane': '' });
  }

  withVersion(version: string): this {
    return this.withSpec({ version });
  }

  withNode(name: string): this {
    return this.withStatus({ nodeRef: { name } });
  }
}

/** MachineDeployments, MachineSets and MachinePools. */
export class MachineCollectionBuilder extends ClusterMemberBuilder {
  override ofCluster(cluster: Built | string): this {
    const name = typeof cluster === 'string' ? cluster : built(cluster).metadata.name;
    const template = fieldsOf(fieldsOf(this.object.spec)['template']);
    const spec = { ...fieldsOf(template['spec']), clusterName: name };
    return super.ofCluster(name).withSpec({ template: { ...template, spec } });
  }

  withReplicas(replicas: number): this {
    return this.withSpec({ replicas });
  }

  /** Sets the Kubernetes version of the template. */
  withVersion(version: string): this {
    const template = fieldsOf(fieldsOf(this.object.spec)['template']);
    return this.withSpec({ template: { ...template, spec: { ...fieldsOf(template['spec']), version } } });
  }

  withCounters(counters: Counters): this {
    return this.withStatus({ ...counters });
  }
}

function machineSpec(name: string): Readonly<Record<string, unknown>> {
  return {
    clusterName: 'c1',
    bootstrap: { dataSecretName: `${name}-bootstrap` },
    infrastructureRef: { apiGroup: infrastructureGroup, kind: 'SimulatedMachine', name },
  };
}

/** Returns Cluster `ns/c1` without references and topology. */
export function aCluster(): ClusterBuilder {
  return new ClusterBuilder({ apiVersion: coreVersion, kind: 'Cluster', name: 'c1' }).withSpec({
    clusterNetwork: { serviceDomain: 'cluster.local' },
  });
}

/** Returns SimulatedCluster `ns/c1-infra` of Cluster `c1`. */
export function anInfraCluster(): InfraClusterBuilder {
  const apiVersion = `${infrastructureGroup}/v1beta2`;
  return new InfraClusterBuilder({ apiVersion, kind: 'SimulatedCluster', name: 'c1-infra' })
    .ofCluster('c1')
    .withSpec({});
}

/** Returns SimulatedLegacyCluster `ns/c1-infra` of Cluster `c1`. */
export function aLegacyInfraCluster(): LegacyInfraClusterBuilder {
  const apiVersion = `${infrastructureGroup}/v1beta1`;
  return new LegacyInfraClusterBuilder({ apiVersion, kind: 'SimulatedLegacyCluster', name: 'c1-infra' })
    .ofCluster('c1')
    .withSpec({});
}

/** Returns SimulatedControlPlane `ns/c1-control-plane` of Cluster `c1` with one replica of v1.35.0. */
export function aControlPlane(): ControlPlaneBuilder {
  const apiVersion = 'controlplane.cluster.x-k8s.io/v1beta2';
  return new ControlPlaneBuilder({ apiVersion, kind: 'SimulatedControlPlane', name: 'c1-control-plane' })
    .ofCluster('c1')
    .withSpec({ version: testVersion, replicas: 1 });
}

/** Returns worker Machine `ns/m1` of Cluster `c1`. */
export function aMachine(): MachineBuilder {
  return new MachineBuilder({ apiVersion: coreVersion, kind: 'Machine', name: 'm1' })
    .withSpec(machineSpec('m1'))
    .ofCluster('c1');
}

/** Returns MachineDeployment `ns/md1` of Cluster `c1`. */
export function aMachineDeployment(): MachineCollectionBuilder {
  return aCollection('MachineDeployment', 'md1').withSpec({ selector: { matchLabels: { pool: 'md1' } } });
}

/** Returns MachineSet `ns/ms1` of Cluster `c1`. */
export function aMachineSet(): MachineCollectionBuilder {
  return aCollection('MachineSet', 'ms1').withSpec({ selector: { matchLabels: { pool: 'ms1' } } });
}

/** Returns MachinePool `ns/mp1` of Cluster `c1`. */
export function aMachinePool(): MachineCollectionBuilder {
  return aCollection('MachinePool', 'mp1');
}

/** The spec has one replica. Machines have the label `pool: <name>`. */
function aCollection(kind: string, name: string): MachineCollectionBuilder {
  const template = { metadata: { labels: { pool: name } }, spec: machineSpec(name) };
  return new MachineCollectionBuilder({ apiVersion: coreVersion, kind, name })
    .withSpec({ replicas: 1, template })
    .ofCluster('c1');
}
