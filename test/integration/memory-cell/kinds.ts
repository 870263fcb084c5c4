// For each reconciler, objects of ten tenants: nine harmless ones, and a hostile one that has as much of everything as
// the API server stores and the functions read.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { machineDeploymentTopologyFinalizer } from '../../../functions/machinedeployment-topology/reconciler.ts';
import { machineSetTopologyFinalizer } from '../../../functions/machineset-topology/reconciler.ts';
import type { Request } from '../../../shared/workqueue/message.ts';
import { aCluster, aMachine, aMachineDeployment, aMachinePool, aMachineSet } from '../../support/builders.ts';
import { anExtensionConfig } from '../../support/extension-config.ts';
import { aHealthCheck } from '../../support/machine-objects.ts';
import type { MemoryApi } from '../../support/memory-api.ts';
import { type Built, built, ObjectBuilder } from '../../support/object-builder.ts';
import { aTenantTopology } from '../../support/tenant-topology.ts';
import { anOwnedSet, fromTemplates, templatesNamed } from '../../support/topology-workers.ts';
import { plainKubeconfig } from '../../support/workload-kubeconfig.ts';
import { aSecret } from '../../unit/functions/cluster/secrets.ts';
import { aBinding, aSet, configMap } from '../../unit/functions/clusterresourceset/set-objects.ts';
import { giveDrainedMachine } from '../../unit/hostile/drained-machine.ts';

/** The servers of all tenants. The paths of requests begin with the name of the tenant. */
export interface TenantServers {
  readonly workload: string;
  readonly extension: { readonly url: string; readonly ca: string };
}

export interface CellKind {
  readonly reconciler: string;
  readonly group: string;
  readonly kind: string;
  /** Stores the objects of one tenant. The object to reconcile has the name of the tenant, as has its namespace. */
  readonly give: (api: TenantApi, name: string, servers: TenantServers) => void;
  readonly isClusterScoped?: true;
  /** The reconciler that has to serve the tenants' objects before. */
  readonly after?: string;
  /** A part of the log line that names the problem of the hostile object. */
  readonly says?: string;
}

type TenantApi = Pick<MemoryApi, 'given'>;

/** Stores the objects of a tenant, each in its namespace. */
export function giveTenant(
  api: MemoryApi,
  { give, isClusterScoped }: CellKind,
  name: string,
  servers: TenantServers,
): void {
  const inNamespace = (object: Built): Built => {
    const { metadata, ...rest } = built(object);
    return { ...rest, metadata: { ...metadata, namespace: name } };
  };
  const given: MemoryApi['given'] = (...objects) => api.given(...objects.map(inNamespace));
  give(isClusterScoped === true ? api : { given }, name, servers);
}

export const isHostile = (name: string): boolean => name.endsWith('-h');

const core = 'cluster.x-k8s.io';
const infrastructureGroup = 'infrastructure.cluster.x-k8s.io';

/** Objects that a list contains, with the largest annotations that an object may have. */
const listed = 60;
const largestAnnotation = 'x'.repeat(250_000);

/** Nearly as many JSON values as an object may have that is read. */
const wide = Array.from({ length: 190_000 }, () => ({}));

/** A Cluster whose API server answers at the server of its tenant. */
function givenCluster(api: TenantApi, name: string, { workload }: TenantServers): Built<Unstructured> {
  const cluster = aCluster()
    .named(name)
    .labelled({ app: name })
    .infrastructureProvisioned()
    .withCondition('ControlPlaneInitialized')
    .withCondition('RemoteConnectionProbe')
    .withEndpoint('127.0.0.1');
  const variables = [{ name: 'v', value: wide }];
  const [stored] = api.given(
    isHostile(name)
      ? cluster.withSpec({ topology: { classRef: { name: 'none' }, version: 'v1.35.0', variables } })
      : cluster,
    aSecret(`${name}-kubeconfig`).holding({ value: plainKubeconfig({ server: `${workload}/${name}` }) }),
  );
  if (stored === undefined) {
    throw new Error(`Cluster ${name} was not stored`);
  }
  return stored;
}

/** The name of one harmless and of many large objects of a hostile tenant. */
function membersOf(name: string): readonly string[] {
  return isHostile(name) ? Array.from({ length: listed }, (_, at) => `${name}-${at}`) : [`${name}-0`];
}

/** The label of Machines in templates of MachineSets. */
const pool = 'ms1';

/** Machines with Nodes that an object of the tenant selects. */
function givenMachines(api: TenantApi, name: string, owner: Built): void {
  for (const member of membersOf(name)) {
    const infrastructureRef = { apiGroup: infrastructureGroup, kind: 'SimulatedMachine', name: member };
    const machine = aMachine()
      .named(member)
      .withSpec({ infrastructureRef, providerID: `static://${member}` })
      .ofCluster(name)
      .labelled({ pool })
      .ownedBy(owner, { controller: true })
      .withNode(member);
    const infrastructure = new ObjectBuilder({
      apiVersion: `${infrastructureGroup}/v1beta2`,
      kind: 'SimulatedMachine',
      name: member,
    });
    api.given(
      isHostile(name) ? machine.annotated({ large: largestAnnotation }) : machine,
      infrastructure
        .withSpec({ providerID: `static://${member}` })
        .withStatus({ initialization: { provisioned: true } }),
    );
  }
}

/** `- [{}, {}, …]` is read as YAML. */
const wideYaml = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: [${'{},'.repeat(300_000)}]}}`;

/** 640 MB before containers were charged, and 22 s before expressions were. */
const hostileTemplates = [
  '{{ $d := list (dict) (dict) (dict) (dict) (dict) (dict) (dict) (dict) (dict) (dict) }}{{ range until 6 }}{{ $d = list $d $d $d $d $d $d $d $d $d $d }}{{ end }}{{ len (deepCopy $d) }}',
  '{{ $p := print "(?i)[" (repeat 3200 "\\\\pL") "]" }}{{ range until 15 }}{{ $x := regexMatch $p "a" }}{{ end }}',
];

function giveTopology(api: TenantApi, name: string): void {
  api.given(...aTenantTopology(name, isHostile(name) ? { templates: hostileTemplates } : {}));
}

export const cellKinds: readonly CellKind[] = [
  { reconciler: 'cluster', group: core, kind: 'Cluster', give: givenCluster },
  {
    reconciler: 'machine',
    says: 'JSON values',
    group: core,
    kind: 'Machine',
    give: (api, name, { workload }) => giveDrainedMachine(api, name, `${workload}/${name}`),
  },
  {
    reconciler: 'machineset',
    group: core,
    kind: 'MachineSet',
    give(api, name, servers) {
      givenCluster(api, name, servers);
      const set = fromTemplates(aMachineSet().named(name), name).ofCluster(name).withReplicas(membersOf(name).length);
      const [stored] = api.given(set, ...templatesNamed(name));
      givenMachines(api, name, stored ?? set);
    },
  },
  {
    reconciler: 'machinedeployment',
    group: core,
    kind: 'MachineDeployment',
    give(api, name, servers) {
      givenCluster(api, name, servers);
      const deployment = fromTemplates(aMachineDeployment().named(name), name).ofCluster(name);
      const [stored] = api.given(deployment, ...templatesNamed(name));
      for (const member of isHostile(name) ? membersOf(name) : []) {
        const set = anOwnedSet(member, stored ?? deployment, name)
          .ofCluster(name)
          .withReplicas(0);
        const labels = { pool: 'md1', 'machine-template-hash': member };
        api.given(set.labelled(labels).annotated({ large: largestAnnotation }));
      }
    },
  },
  {
    reconciler: 'machinehealthcheck',
    says: 'more than 400000 JSON values',
    group: core,
    kind: 'MachineHealthCheck',
    give(api, name, servers) {
      givenCluster(api, name, servers);
      const set = aMachineSet().named(name).ofCluster(name);
      const [stored] = api.given(set);
      api.given(
        aHealthCheck(name, { pool })
          .labelled({ 'cluster.x-k8s.io/cluster-name': name })
          .withSpec({ clusterName: name }),
      );
      givenMachines(api, name, stored ?? set);
    },
  },
  {
    reconciler: 'machinepool',
    group: core,
    kind: 'MachinePool',
    give(api, name, servers) {
      givenCluster(api, name, servers);
      const kind = 'SimulatedMachinePool';
      const machines = new ObjectBuilder({ apiVersion: `${infrastructureGroup}/v1beta2`, kind, name });
      const infrastructureRef = { apiGroup: infrastructureGroup, kind, name };
      const spec = { clusterName: name, bootstrap: { dataSecretName: name }, infrastructureRef };
      api.given(
        aMachinePool().named(name).ofCluster(name).withSpec({ template: { spec } }),
        machines
          .withSpec({ providerIDList: [`static://${name}`] })
          .withStatus({ initialization: { provisioned: true }, replicas: 1 }),
      );
    },
  },
  {
    reconciler: 'machineset-topology',
    group: core,
    kind: 'MachineSet',
    give(api, name, servers) {
      givenCluster(api, name, servers);
      const deployment = fromTemplates(aMachineDeployment().named(`${name}-md`), name).ofCluster(name);
      const [stored] = api.given(deployment, ...templatesNamed(name));
      for (const member of [name, ...membersOf(name)]) {
        const set = anOwnedSet(member, stored ?? deployment, name)
          .ofCluster(name)
          .withFinalizers(machineSetTopologyFinalizer);
        api.given(isHostile(name) ? set.annotated({ large: largestAnnotation }).deleting() : set.deleting());
      }
    },
  },
  {
    reconciler: 'machinedeployment-topology',
    group: core,
    kind: 'MachineDeployment',
    give(api, name, servers) {
      givenCluster(api, name, servers);
      const deployment = fromTemplates(aMachineDeployment().named(name), name).ofCluster(name);
      const [stored] = api.given(
        deployment.withFinalizers(machineDeploymentTopologyFinalizer).deleting(),
        ...templatesNamed(name),
      );
      for (const member of membersOf(name)) {
        const set = anOwnedSet(member, stored ?? deployment, name).ofCluster(name);
        api.given(isHostile(name) ? set.annotated({ large: largestAnnotation }) : set);
      }
    },
  },
  {
    reconciler: 'topology',
    group: core,
    kind: 'Cluster',
    after: 'clusterclass',
    says: 'limit exceeded',
    give: giveTopology,
  },
  { reconciler: 'clusterclass', group: core, kind: 'ClusterClass', give: giveTopology },
  {
    reconciler: 'clusterresourceset',
    says: 'limit exceeded',
    group: 'addons.cluster.x-k8s.io',
    kind: 'ClusterResourceSet',
    give(api, name, servers) {
      givenCluster(api, name, servers);
      const harmless = JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace: 'default' },
      });
      api.given(
        aSet(name).withSpec({
          clusterSelector: { matchLabels: { app: name } },
          resources: [{ kind: 'ConfigMap', name }],
        }),
        configMap({ manifest: isHostile(name) ? wideYaml : harmless }, name),
      );
    },
  },
  {
    reconciler: 'clusterresourcesetbinding',
    group: 'addons.cluster.x-k8s.io',
    kind: 'ClusterResourceSetBinding',
    give(api, name, servers) {
      givenCluster(api, name, servers);
      api.given(aBinding(name, ...membersOf(name)));
    },
  },
  {
    reconciler: 'extensionconfig',
    says: 'more than 200000 values',
    group: 'runtime.cluster.x-k8s.io',
    kind: 'ExtensionConfig',
    isClusterScoped: true,
    give(api, name, { extension }) {
      const config = anExtensionConfig().named(name).withUrl(`${extension.url}/${name}`).withCaBundle(extension.ca);
      // It serves no namespace, so that the topologies do not wait for it.
      api.given(config.withSpec({ namespaceSelector: { matchLabels: { served: name } } }));
    },
  },
];

/** Returns the key of the tenant's object. */
export function keyOf(
  { group, kind, isClusterScoped }: CellKind,
  name: string,
  managementCluster: string,
): Request['key'] {
  return { managementCluster, group, kind, namespace: isClusterScoped === true ? '' : name, name };
}
