// Managed topologies for tests: Cluster `ns1/c1` of ClusterClass `class1`, with MachineDeployment `md1` and MachinePool
// `mp1`. `aBlueprint()` and `aCurrent()` together are a settled topology.

import type { JsonObject, Unstructured } from '@capi-serverless/apimachinery';
import type { ContractVersion } from '@capi-serverless/cluster-api/contract';
import { readCluster } from '../../shared/api/cluster/reader.ts';
import { readClassSpec } from '../../shared/api/cluster-class/class-spec.ts';
import { isDefinedCheck } from '../../shared/api/topology-parts.ts';
import type { Blueprint, TopologyVariables, WorkerTemplates } from '../../shared/topology/model/blueprint.ts';
import { readClusterTopology } from '../../shared/topology/model/cluster-topology.ts';
import type { StatusVariable } from '../../shared/variables/index.ts';
import { aCluster, type ClusterBuilder } from './builders.ts';
import { aClusterClass as aPlainClass, type ClusterClassBuilder, toTemplateRef } from './cluster-class.ts';
import { type Built, built, fieldsOf, ObjectBuilder } from './object-builder.ts';

export const topologyNamespace = 'ns1';
export const topologyVersion = 'v1.31.0';

const groups = {
  infrastructure: 'infrastructure.cluster.x-k8s.io',
  controlPlane: 'controlplane.cluster.x-k8s.io',
  bootstrap: 'bootstrap.cluster.x-k8s.io',
} as const;

/** Returns an object of a provider in `ns1`. For a template, `kind` has its suffix. */
export function aProviderObject(role: keyof typeof groups, kind: string, name: string): ObjectBuilder {
  return new ObjectBuilder({ apiVersion: `${groups[role]}/v1beta2`, kind, name }).in(topologyNamespace);
}

function aTemplate(role: keyof typeof groups, kind: string, name: string, spec: JsonObject): ObjectBuilder {
  return aProviderObject(role, kind, name).withSpec({ template: { spec } });
}

/** One template for each purpose, with the names in `class1`. */
export const topologyTemplates = {
  infrastructureCluster: aTemplate('infrastructure', 'GenericInfrastructureClusterTemplate', 'infra-cluster', {
    region: 'r1',
  }),
  controlPlane: aTemplate('controlPlane', 'KubeadmControlPlaneTemplate', 'control-plane', {
    kubeadmConfigSpec: { format: 'cloud-config' },
  }),
  controlPlaneMachine: aTemplate('infrastructure', 'GenericInfrastructureMachineTemplate', 'cp-machine', {
    size: 'large',
  }),
  workerBootstrap: aTemplate('bootstrap', 'KubeadmConfigTemplate', 'worker-boot', { commands: ['join'] }),
  workerMachine: aTemplate('infrastructure', 'GenericInfrastructureMachineTemplate', 'worker-machine', {
    size: 'small',
  }),
  poolBootstrap: aTemplate('bootstrap', 'KubeadmConfigTemplate', 'pool-boot', { commands: ['pool'] }),
  poolMachine: aTemplate('infrastructure', 'GenericInfrastructureMachinePoolTemplate', 'pool-machine', { size: 'm' }),
} as const;

type TopologyTemplates = Readonly<Record<keyof typeof topologyTemplates, Built<Unstructured>>>;

const onlyMachineDeployment = { machineDeployments: [{ class: 'worker', name: 'md1', replicas: 2 }] } as const;
const onlyMachinePool = { machinePools: [{ class: 'pool', name: 'mp1', replicas: 3 }] } as const;

/** A new Cluster without references and labels. `topology` replaces whole fields of `spec.topology`. */
export function aTopologyCluster(topology: JsonObject = {}): ClusterBuilder {
  return aCluster()
    .in(topologyNamespace)
    .withTopology({
      class: 'class1',
      version: topologyVersion,
      controlPlane: { replicas: 3 },
      workers: { ...onlyMachineDeployment, ...onlyMachinePool },
      ...topology,
    });
}

/** The names of the objects of the settled topology. */
export const settled = {
  infrastructureCluster: 'c1-bbbbb',
  controlPlane: 'c1-ccccc',
  controlPlaneMachineTemplate: 'c1-ddddd',
  md1: { object: 'c1-md1-fffff', bootstrap: 'c1-md1-ggggg', infrastructure: 'c1-md1-hhhhh' },
  mp1: { object: 'c1-mp1-jjjjj', bootstrap: 'c1-mp1-kkkkk', infrastructure: 'c1-mp1-lllll' },
} as const;

/** Returns the same Cluster with references to its objects. */
export function aSettledTopologyCluster(topology: JsonObject = {}): ClusterBuilder {
  const { infrastructure, controlPlane } = groups;
  const { infrastructureCluster } = settled;
  return aTopologyCluster(topology)
    .labelled({ 'cluster.x-k8s.io/cluster-name': 'c1', 'topology.cluster.x-k8s.io/owned': '' })
    .withInfrastructureRef({
      apiGroup: infrastructure,
      kind: 'GenericInfrastructureCluster',
      name: infrastructureCluster,
    })
    .withControlPlaneRef({ apiGroup: controlPlane, kind: 'KubeadmControlPlane', name: settled.controlPlane });
}

export interface ClassChange {
  readonly infrastructure?: JsonObject;
  readonly controlPlane?: JsonObject;
  /** Fields of the class `worker`. */
  readonly machineDeployment?: JsonObject;
  /** Fields of the class `pool`. */
  readonly machinePool?: JsonObject;
  /** Fields of the spec itself. */
  readonly spec?: JsonObject;
}

/** Returns `ns1/class1`, which references each of `templates` once. `change` sets further fields. */
export function aTopologyClass(
  change: ClassChange = {},
  templates: TopologyTemplates = topologyTemplates,
): ClusterClassBuilder {
  const from = (template: Built<Unstructured>) => ({ templateRef: toTemplateRef(template) });
  const worker = { bootstrap: from(templates.workerBootstrap), infrastructure: from(templates.workerMachine) };
  const pool = { bootstrap: from(templates.poolBootstrap), infrastructure: from(templates.poolMachine) };
  return aPlainClass()
    .named('class1')
    .in(topologyNamespace)
    .withSpec({
      infrastructure: { ...from(templates.infrastructureCluster), ...change.infrastructure },
      controlPlane: {
        ...from(templates.controlPlane),
        machineInfrastructure: from(templates.controlPlaneMachine),
        ...change.controlPlane,
      },
      workers: {
        machineDeployments: [{ class: 'worker', ...worker, ...change.machineDeployment }],
        machinePools: [{ class: 'pool', ...pool, ...change.machinePool }],
      },
      ...change.spec,
    });
}

export interface BlueprintParts {
  /** The Cluster. Default: the settled Cluster. */
  readonly cluster?: Built<Unstructured>;
  readonly clusterClass?: Built<Unstructured>;
  readonly templates?: Partial<TopologyTemplates>;
  readonly contract?: ContractVersion;
  readonly definitions?: readonly StatusVariable[];
  readonly variables?: Partial<TopologyVariables>;
}

/** Returns the parsed Cluster, its class and their templates. */
export function aBlueprint(parts: BlueprintParts = {}): Blueprint {
  const templates = { ...topologyTemplates, ...parts.templates };
  const clusterClass = built(parts.clusterClass ?? aTopologyClass({}, templates));
  const cluster = readCluster(built(parts.cluster ?? aSettledTopologyCluster()));
  const classSpec = readClassSpec(clusterClass.spec);
  const { machineInfrastructure, healthCheck } = classSpec.controlPlane;
  const hasMachines = machineInfrastructure.templateRef.name !== '';
  return {
    cluster,
    topology: readClusterTopology(fieldsOf(cluster.object.spec)['topology']),
    variables: {
      cluster: [],
      controlPlane: [],
      machineDeployments: new Map(),
      machinePools: new Map(),
      ...parts.variables,
    },
    className: { namespace: clusterClass.metadata.namespace ?? '', name: clusterClass.metadata.name },
    classSpec,
    definitions: parts.definitions ?? [],
    infrastructureCluster: { template: built(templates.infrastructureCluster) },
    controlPlane: {
      template: built(templates.controlPlane),
      contract: parts.contract ?? 'v1beta2',
      ...(hasMachines ? { machineTemplate: built(templates.controlPlaneMachine) } : {}),
      ...(hasMachines && isDefinedCheck(healthCheck) ? { healthCheck } : {}),
    },
    machineDeployments: byClass(
      classSpec.workers.machineDeployments,
      templates.workerBootstrap,
      templates.workerMachine,
    ),
    machinePools: byClass(classSpec.workers.machinePools, templates.poolBootstrap, templates.poolMachine),
  };
}

/** All classes of one kind use the same two templates. */
function byClass<Class extends { readonly class: string }>(
  classes: readonly Class[],
  bootstrap: Built<Unstructured>,
  infrastructure: Built<Unstructured>,
): ReadonlyMap<string, WorkerTemplates<Class>> {
  const templates = { bootstrap: built(bootstrap), infrastructure: built(infrastructure) };
  return new Map(classes.map(each => [each.class, { class: each, ...templates }]));
}
