// A Cluster with simulated infrastructure and workers, as a managed topology creates it: `ns/c1`.
import {
  aCluster,
  aControlPlane,
  aMachineDeployment,
  anInfraCluster,
  type MachineCollectionBuilder,
} from './builders.ts';
import { type Built, fieldsOf, ObjectBuilder } from './object-builder.ts';
import { aMachineTemplate, fromTemplates, owned, templatesNamed } from './topology-workers.ts';

const version = 'v1.35.0';

const infrastructureGroup = 'infrastructure.cluster.x-k8s.io';
const bootstrapGroup = 'bootstrap.cluster.x-k8s.io';

/** Returns SimulatedControlPlane `ns/c1-control-plane` with Machines from `cp-infra`. */
function aMannedControlPlane(replicas: number) {
  return aControlPlane()
    .withReplicas(replicas)
    .withSpec({
      machineTemplate: {
        metadata: { labels: owned },
        spec: {
          infrastructureRef: { apiGroup: infrastructureGroup, kind: 'SimulatedMachineTemplate', name: 'cp-infra' },
        },
      },
    });
}

function aSimulatedCluster() {
  return aCluster().withInfrastructureRef().withControlPlaneRef();
}

/** Returns MachineDeployment `ns/<name>` of a topology. */
function aDeployment(name: string, replicas: number): MachineCollectionBuilder {
  const labels = { ...owned, 'topology.cluster.x-k8s.io/deployment-name': name };
  const made = fromTemplates(aMachineDeployment().named(name), name).withReplicas(replicas).labelled(labels);
  const template = fieldsOf(fieldsOf(made.build().spec)['template']);
  return made
    .withSpec({ selector: { matchLabels: labels }, template: { ...template, metadata: { labels } } })
    .withVersion(version);
}

/** Returns MachinePool `ns/<name>`, with its infrastructure and bootstrap objects. */
function aPool(name: string, replicas: number): readonly Built[] {
  const labels = { ...owned, 'topology.cluster.x-k8s.io/pool-name': name };
  const pool = new ObjectBuilder({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachinePool', name });
  const spec = {
    clusterName: 'c1',
    version,
    bootstrap: { configRef: { apiGroup: bootstrapGroup, kind: 'SimulatedBootstrapConfig', name } },
    infrastructureRef: { apiGroup: infrastructureGroup, kind: 'SimulatedMachinePool', name },
  };
  return [
    pool.labelled(labels).withSpec({ clusterName: 'c1', replicas, template: { metadata: { labels }, spec } }),
    new ObjectBuilder({ apiVersion: `${infrastructureGroup}/v1beta2`, kind: 'SimulatedMachinePool', name }).withSpec(
      {},
    ),
    new ObjectBuilder({ apiVersion: `${bootstrapGroup}/v1beta2`, kind: 'SimulatedBootstrapConfig', name }).withSpec({}),
  ];
}

export function aHealthCheck(name: string, matchLabels: Readonly<Record<string, string>>): ObjectBuilder {
  const check = new ObjectBuilder({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineHealthCheck', name });
  return check.labelled(owned).withSpec({ clusterName: 'c1', selector: { matchLabels } });
}

export interface Parts {
  readonly controlPlanes?: number;
  readonly deployments?: Readonly<Record<string, number>>;
  readonly pools?: Readonly<Record<string, number>>;
}

/** Returns the Cluster with all objects that these objects need. */
export function aWholeCluster({ controlPlanes = 1, deployments = {}, pools = {} }: Parts): readonly Built[] {
  const cluster = aSimulatedCluster();
  return [
    cluster,
    anInfraCluster().ownedBy(cluster),
    aMachineTemplate('cp-infra'),
    aMannedControlPlane(controlPlanes).ownedBy(cluster),
    ...Object.entries(deployments).flatMap(([name, replicas]) => [
      ...templatesNamed(name),
      aDeployment(name, replicas),
    ]),
    ...Object.entries(pools).flatMap(([name, replicas]) => aPool(name, replicas)),
  ];
}
