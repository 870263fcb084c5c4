import { describe, expect, it } from 'vitest';
import { aSettledTopologyCluster, topologyTemplates } from '../../../../../support/topology-objects.ts';
import { aDesiredInput, at, type DesiredParts, found } from '../desired/desired-input.ts';
import { patchOf, start, started } from './patch-run.ts';

const patches = [{ name: 'p', external: { generatePatchesExtension: 'h.ext1' } }];

function requestOf(options: DesiredParts = {}) {
  const run = started({ ...options, ofClass: { ...options.ofClass, spec: { patches } } });
  return run.run.generateRequest(patchOf(run));
}

function builtinOf(uid: string, options: DesiredParts = {}): unknown {
  const item = requestOf(options).items.find(each => each.uid === uid);
  return item?.variables.find(({ name }) => name === 'builtin')?.value;
}

describe('builtin variables', () => {
  it('of a Cluster without a network', () => {
    const { cluster } = aDesiredInput().blueprint;
    const { clusterNetwork: _, ...spec } = Object(cluster.object.spec);
    const run = started({
      ofClass: { spec: { patches } },
      change: blueprint => ({ ...blueprint, cluster: { ...cluster, object: { ...cluster.object, spec } } }),
    });
    expect(run.run.generateRequest(patchOf(run)).variables).toEqual([
      {
        name: 'builtin',
        value: {
          cluster: {
            name: 'c1',
            namespace: 'ns1',
            uid: 'uid-of-cluster-c1',
            metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'c1', 'topology.cluster.x-k8s.io/owned': '' } },
            topology: {
              version: 'v1.31.0',
              classRef: { name: 'class1', namespace: 'ns1' },
              class: 'class1',
              classNamespace: 'ns1',
            },
          },
        },
      },
    ]);
  });

  it('of a Cluster with a network, labels and annotations, in an upgrade', () => {
    const cluster = aSettledTopologyCluster()
      .labelled({ mine: 'label' })
      .annotated({
        mine: 'annotation',
        empty: '',
        'kubectl.kubernetes.io/last-applied-configuration': '{}',
        'cluster.x-k8s.io/conversion-data': '{}',
        'topology.internal.cluster.x-k8s.io/upgrade-step': 'v1.30.0',
      })
      .withSpec({
        clusterNetwork: {
          serviceDomain: 'cluster.local',
          services: { cidrBlocks: ['10.0.0.0/16'] },
          pods: { cidrBlocks: ['10.1.0.0/16', 'fd00::/48'] },
        },
      });
    const run = started({
      ofClass: { spec: { patches } },
      change: blueprint => ({
        ...blueprint,
        cluster: {
          ...blueprint.cluster,
          object: cluster.build(),
          metadata: { ...blueprint.cluster.metadata, ...annotated(cluster) },
        },
      }),
    });
    const [builtin] = run.run.generateRequest(patchOf(run)).variables;
    expect(at(builtin, 'value.cluster.metadata')).toEqual({
      labels: { 'cluster.x-k8s.io/cluster-name': 'c1', 'topology.cluster.x-k8s.io/owned': '', mine: 'label' },
      annotations: { mine: 'annotation', empty: '' },
    });
    expect(at(builtin, 'value.cluster.network')).toEqual({
      serviceDomain: 'cluster.local',
      services: ['10.0.0.0/16'],
      pods: ['10.1.0.0/16', 'fd00::/48'],
    });
  });

  it('of the control plane, for its machines, too', () => {
    const builtin = {
      controlPlane: {
        name: 'c1-ccccc',
        version: 'v1.31.0',
        replicas: 3,
        metadata: expect.objectContaining({ labels: expect.anything(), annotations: expect.anything() }),
        machineTemplate: { infrastructureRef: { name: 'c1-ddddd' } },
      },
    };
    expect(builtinOf('controlPlane')).toEqual(builtin);
    expect(builtinOf('controlPlaneMachines')).toEqual(builtin);
  });

  it('of a control plane without replicas and machines', () => {
    const options = {
      topology: { controlPlane: {} },
      ofClass: { controlPlane: { machineInfrastructure: {} } },
    };
    expect(Object.keys(at(builtinOf('controlPlane', options), 'controlPlane') ?? {})).toEqual([
      'name',
      'version',
      'metadata',
    ]);
  });

  it('of workers', () => {
    const metadata = expect.objectContaining({ labels: expect.anything() });
    expect(builtinOf('machineDeployment/md1/bootstrap')).toEqual({
      machineDeployment: {
        name: 'c1-md1-fffff',
        class: 'worker',
        topologyName: 'md1',
        version: 'v1.31.0',
        replicas: 2,
        metadata,
        bootstrap: { configRef: { name: 'c1-md1-ggggg' } },
        infrastructureRef: { name: 'c1-md1-hhhhh' },
      },
    });
    expect(builtinOf('machinePool/mp1/infrastructure')).toEqual({
      machinePool: expect.objectContaining({ class: 'pool', topologyName: 'mp1', replicas: 3 }),
    });
  });
});

/** Returns the fields of a builder's object. */
function annotated(cluster: ReturnType<typeof aSettledTopologyCluster>) {
  const { labels = {}, annotations = {} } = cluster.build().metadata;
  return { labels, annotations };
}

describe('templates to be patched', () => {
  it('have the labels and annotations of the created objects', () => {
    const { items } = requestOf();
    const objectOf = (uid: string) => items.find(each => each.uid === uid)?.object;
    const { desired } = started();
    const { labels, annotations } = desired.infrastructureCluster.metadata;
    expect(at(objectOf('infrastructureCluster'), 'spec.template.metadata')).toEqual({ labels, annotations });
    expect(at(objectOf('infrastructureCluster'), 'metadata.name')).toBe('infra-cluster');
    expect(at(objectOf('infrastructureCluster'), 'metadata.labels')).toBeUndefined();
    const machines = found(desired.controlPlane.machineTemplate).metadata;
    expect(at(objectOf('controlPlaneMachines'), 'metadata')).toMatchObject({
      name: 'cp-machine',
      labels: machines.labels,
      annotations: machines.annotations,
    });
  });

  it('have neither managed fields nor copies of themselves', () => {
    const copies = {
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'cluster.x-k8s.io/conversion-data': '{}',
    };
    const plain = topologyTemplates.infrastructureCluster.annotated(copies).build();
    const infrastructureCluster = { ...plain, metadata: { ...plain.metadata, managedFields: [{}] } };
    const controlPlaneMachine = topologyTemplates.controlPlaneMachine.annotated({ ...copies, mine: 'a' });
    const { items } = requestOf({ templates: { ...topologyTemplates, infrastructureCluster, controlPlaneMachine } });
    const [first, , third] = items;
    expect(at(first, 'object.metadata')).not.toHaveProperty('annotations');
    expect(at(first, 'object.metadata')).not.toHaveProperty('managedFields');
    expect(Object.keys(at(third, 'object.metadata.annotations') ?? {})).toEqual([
      'mine',
      'cluster.x-k8s.io/cloned-from-name',
      'cluster.x-k8s.io/cloned-from-groupkind',
    ]);
  });

  it('may be empty', () => {
    const { spec: _, ...empty } = topologyTemplates.infrastructureCluster.build();
    const { items } = requestOf({ templates: { ...topologyTemplates, infrastructureCluster: empty } });
    expect(at(items[0], 'object.spec.template.metadata.labels')).toHaveProperty(
      ['cluster.x-k8s.io/cluster-name'],
      'c1',
    );
  });
});

describe('what is not there', () => {
  it.each([
    { list: 'machineDeployments', kind: 'MachineDeployment', name: 'md1', className: 'worker' },
    { list: 'machinePools', kind: 'MachinePool', name: 'mp1', className: 'pool' },
  ] as const)('ends the patching of a $kind', ({ list, kind, name, className }) => {
    expect(
      start({
        change: blueprint => ({
          ...blueprint,
          topology: { ...blueprint.topology, workers: { ...blueprint.topology.workers, [list]: [] } },
        }),
      }),
    ).toBe(`failed to lookup ${kind} topology "${name}" in Cluster.spec.topology.workers.${list}`);
    expect(start({ change: blueprint => ({ ...blueprint, [list]: new Map() }) })).toBe(
      `failed to lookup ${kind} class "${className}" in ClusterClass`,
    );
  });
});

it('has no variables of its own if the topology of a worker sets none', () => {
  const { items } = requestOf({ variables: { machineDeployments: new Map() } });
  const item = items.find(({ uid }) => uid === 'machineDeployment/md1/bootstrap');
  expect(item?.variables.map(({ name }) => name)).toEqual(['builtin']);
});
