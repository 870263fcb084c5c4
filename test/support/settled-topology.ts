// The objects of the topology in `test/support/topology-objects.ts` after it is settled, as stored by the API server.

import type { JsonObject, OwnerReference, Unstructured } from '@capi-serverless/apimachinery';
import type { Current } from '../../functions/topology/plan/current/current-topology.ts';
import type { TopologyNames } from '../../functions/topology/plan/names/topology-names.ts';
import type { Versions, WorkerProgress } from '../../functions/topology/plan/upgrade/version-progress.ts';
import { type Built, built, fieldsOf, ObjectBuilder } from './object-builder.ts';
import {
  aProviderObject,
  aSettledTopologyCluster,
  settled,
  topologyNamespace,
  topologyTemplates,
  topologyVersion,
} from './topology-objects.ts';

const clusterName = 'cluster.x-k8s.io/cluster-name';
const owned = 'topology.cluster.x-k8s.io/owned';
const topologyLabels = { [clusterName]: 'c1', [owned]: '' };
const labelsOf = {
  md1: { ...topologyLabels, 'topology.cluster.x-k8s.io/deployment-name': 'md1' },
  mp1: { ...topologyLabels, 'topology.cluster.x-k8s.io/pool-name': 'mp1' },
} as const;

/** Has a managedFields entry of the topology controller, so that nothing must be repaired. */
export function managed(object: Built<Unstructured>): Unstructured {
  const { apiVersion, metadata, ...rest } = built(object);
  const entry = { manager: 'capi-topology', operation: 'Apply', apiVersion, fieldsType: 'FieldsV1', fieldsV1: {} };
  return { apiVersion, ...rest, metadata: { ...metadata, ...{ managedFields: [entry] } } };
}

/** The only owner reference that the topology controller sets on objects. */
export function ownedByCluster(): OwnerReference {
  const { apiVersion, kind, metadata } = aSettledTopologyCluster().build();
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid };
}

type Role = Parameters<typeof aProviderObject>[0];

interface Clone {
  readonly role: Role;
  readonly template: ObjectBuilder;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

function clonedFrom({ role, template, name, labels }: Clone, kind: string): ObjectBuilder {
  const from = template.build();
  return aProviderObject(role, kind, name)
    .labelled(labels)
    .annotated({
      'cluster.x-k8s.io/cloned-from-name': from.metadata.name,
      'cluster.x-k8s.io/cloned-from-groupkind': `${from.kind}.${from.apiVersion.split('/')[0]}`,
    });
}

function aCopy(clone: Clone): ObjectBuilder {
  const template = clone.template.build();
  return clonedFrom(clone, template.kind).withSpec(fieldsOf(template.spec)).ownedBy(aSettledTopologyCluster());
}

function anInstance(clone: Clone): ObjectBuilder {
  const template = clone.template.build();
  const { spec } = fieldsOf(fieldsOf(template.spec)['template']);
  return clonedFrom(clone, template.kind.replace(/Template$/, '')).withSpec(fieldsOf(spec));
}

const controller = { controller: true, blockOwnerDeletion: true } as const;

function theInfrastructureCluster(): ObjectBuilder {
  const { infrastructureCluster: name } = settled;
  const template = topologyTemplates.infrastructureCluster;
  return anInstance({ role: 'infrastructure', template, name, labels: topologyLabels })
    .ownedBy(aSettledTopologyCluster(), controller)
    .withStatus({ initialization: { provisioned: true } });
}

/** The control plane is stable at the version of the topology. */
function theControlPlane(version: string): ObjectBuilder {
  const infrastructureRef = {
    apiGroup: 'infrastructure.cluster.x-k8s.io',
    kind: 'GenericInfrastructureMachineTemplate',
    name: settled.controlPlaneMachineTemplate,
  };
  const template = topologyTemplates.controlPlane;
  return anInstance({ role: 'controlPlane', template, name: settled.controlPlane, labels: topologyLabels })
    .ownedBy(aSettledTopologyCluster(), controller)
    .withSpec({
      version,
      replicas: 3,
      machineTemplate: { metadata: { labels: topologyLabels }, spec: { infrastructureRef } },
    })
    .withStatus({ initialization: { controlPlaneInitialized: true }, version, versions: [{ version, replicas: 3 }] });
}

/** The spec of the Machines of `md1` or `mp1`. */
function machinesOf(topologyName: 'md1' | 'mp1', infrastructureKind: string, bootstrapKind: string): JsonObject {
  const { bootstrap, infrastructure } = settled[topologyName];
  return {
    clusterName: 'c1',
    bootstrap: { configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: bootstrapKind, name: bootstrap } },
    infrastructureRef: {
      apiGroup: 'infrastructure.cluster.x-k8s.io',
      kind: infrastructureKind,
      name: infrastructure,
    },
  };
}

function aCollection(kind: string, topologyName: 'md1' | 'mp1', spec: JsonObject, machines: JsonObject): ObjectBuilder {
  const labels = labelsOf[topologyName];
  return new ObjectBuilder({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind, name: settled[topologyName].object })
    .in(topologyNamespace)
    .labelled(labels)
    .ownedBy(aSettledTopologyCluster())
    .withSpec({ clusterName: 'c1', ...spec, template: { metadata: { labels }, spec: machines } });
}

function theMachineDeployment(version: string): ObjectBuilder {
  const machines = machinesOf('md1', 'GenericInfrastructureMachineTemplate', 'KubeadmConfigTemplate');
  const spec = { replicas: 2, selector: { matchLabels: labelsOf.md1 } };
  return aCollection('MachineDeployment', 'md1', spec, { ...machines, version });
}

function theMachinePool(version: string): ObjectBuilder {
  const machines = machinesOf('mp1', 'GenericInfrastructureMachinePool', 'KubeadmConfig');
  return aCollection('MachinePool', 'mp1', { replicas: 3 }, { ...machines, version });
}

/** Returns builders of all objects of the settled topology at one Kubernetes version. */
export function settledObjects(version: string = topologyVersion) {
  const cpMachine = { role: 'infrastructure', template: topologyTemplates.controlPlaneMachine } as const;
  const md1 = { labels: labelsOf.md1 };
  const mp1 = { labels: labelsOf.mp1 };
  const { workerBootstrap, workerMachine, poolBootstrap, poolMachine } = topologyTemplates;
  const owner = aSettledTopologyCluster();
  return {
    infrastructureCluster: theInfrastructureCluster(),
    controlPlane: theControlPlane(version),
    controlPlaneMachineTemplate: aCopy({
      ...cpMachine,
      name: settled.controlPlaneMachineTemplate,
      labels: topologyLabels,
    }),
    md1: theMachineDeployment(version),
    md1Bootstrap: aCopy({ ...md1, role: 'bootstrap', template: workerBootstrap, name: settled.md1.bootstrap }),
    md1Infrastructure: aCopy({
      ...md1,
      role: 'infrastructure',
      template: workerMachine,
      name: settled.md1.infrastructure,
    }),
    mp1: theMachinePool(version),
    mp1Bootstrap: anInstance({
      ...mp1,
      role: 'bootstrap',
      template: poolBootstrap,
      name: settled.mp1.bootstrap,
    }).ownedBy(owner),
    mp1Infrastructure: anInstance({
      ...mp1,
      role: 'infrastructure',
      template: poolMachine,
      name: settled.mp1.infrastructure,
    }).ownedBy(owner),
  } as const;
}

type SettledObjects = Readonly<Record<keyof ReturnType<typeof settledObjects>, Built<Unstructured>>>;

/** The settled control plane with the reference of contract v1beta1 to the template of its Machines. */
export function anOlderControlPlane(change: Readonly<Record<string, unknown>> = {}) {
  const { controlPlane, controlPlaneMachineTemplate } = settledObjects();
  const { apiVersion, kind, metadata } = built(controlPlaneMachineTemplate);
  const infrastructureRef = { apiVersion, kind, name: metadata.name, namespace: metadata.namespace, ...change };
  return controlPlane.withSpec({ machineTemplate: { infrastructureRef } });
}

/** Returns all objects of the settled topology as they are read. `change` replaces single objects. */
export function aCurrent(change: Partial<SettledObjects> = {}, version: string = topologyVersion): Current {
  const objects: SettledObjects = { ...settledObjects(version), ...change };
  return {
    infrastructureCluster: managed(objects.infrastructureCluster),
    controlPlane: {
      object: managed(objects.controlPlane),
      machineTemplate: managed(objects.controlPlaneMachineTemplate),
    },
    machineDeployments: new Map([
      [
        'md1',
        {
          object: managed(objects.md1),
          bootstrapTemplate: managed(objects.md1Bootstrap),
          infrastructureTemplate: managed(objects.md1Infrastructure),
        },
      ],
    ]),
    machinePools: new Map([
      [
        'mp1',
        {
          object: managed(objects.mp1),
          bootstrapObject: managed(objects.mp1Bootstrap),
          infrastructureObject: managed(objects.mp1Infrastructure),
        },
      ],
    ]),
  };
}

/** The state before the first object is created. */
export const nothingYet: Current = { controlPlane: {}, machineDeployments: new Map(), machinePools: new Map() };

/** The names of the settled topology. A reference contains each name. */
export const settledNames: TopologyNames = {
  infrastructureCluster: { name: settled.infrastructureCluster },
  controlPlane: { name: settled.controlPlane },
  controlPlaneMachineTemplate: { name: settled.controlPlaneMachineTemplate },
  machineDeployments: new Map([['md1', workerNames('md1')]]),
  machinePools: new Map([['mp1', workerNames('mp1')]]),
};

function workerNames(topologyName: 'md1' | 'mp1') {
  const { object, bootstrap, infrastructure } = settled[topologyName];
  return { object: { name: object }, bootstrap: { name: bootstrap }, infrastructure: { name: infrastructure } };
}

/** The whole topology at one version. No change is in progress. */
export function settledVersions(version: string = topologyVersion): Versions {
  const workers = (topologyName: string): WorkerProgress => ({
    versions: new Map([[topologyName, version]]),
    upgrading: new Set(),
    pendingUpgrade: new Set(),
    deferredUpgrade: new Set(),
    pendingCreate: new Set(),
    upgradePlan: [],
  });
  return {
    controlPlane: {
      version,
      isProvisioning: false,
      isUpgrading: false,
      isStartingUpgrade: false,
      isPendingUpgrade: false,
      isWaitingForWorkersUpgrade: false,
      upgradePlan: [],
    },
    machineDeployments: workers('md1'),
    machinePools: workers('mp1'),
    isUpgradeInProgress: false,
  };
}
