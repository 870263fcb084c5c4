// Changes of a topology. Their plans are compared with the next run.
import { valueAt } from '@capi-serverless/apimachinery';
import {
  classRef,
  clusterRef,
  type ExampleTopology,
  exampleTopology,
  workersOf,
} from '../../../support/example-topology.ts';

const infrastructure = 'infrastructure.cluster.x-k8s.io/v1beta2';

const template = (name: string) => ({
  apiVersion: infrastructure,
  kind: 'SimulatedMachineTemplate',
  namespace: 'default',
  name,
});

interface Fixture {
  readonly reason: string;
  /** The initial state. Default: all objects are settled. */
  readonly start?: () => Promise<ExampleTopology>;
  readonly change: (world: ExampleTopology) => Promise<unknown>;
  /**
   * The required writes in the form `verb Kind`, so that no fixture is empty by accident. The verb of new objects is
   * `new`.
   */
  readonly actions: readonly string[];
  readonly result?: 'failed';
}

const spec = (object: Record<string, unknown>, path: string) => {
  const found = valueAt(object['spec'], path);
  if (typeof found !== 'object' || found === null) {
    throw new Error(`There is no spec.${path}`);
  }
  // Sets a key in an object or a list.
  return found as Record<string, unknown>;
};

const toVersion = (world: ExampleTopology, version: string) =>
  world.edit(clusterRef, cluster => {
    spec(cluster, 'topology')['version'] = version;
  });

export const fixtures: readonly Fixture[] = [
  {
    reason: 'a new Cluster',
    start: exampleTopology,
    change: async () => undefined,
    actions: [
      'patch Cluster',
      'create Secret',
      'new SimulatedCluster',
      'new MachineHealthCheck',
      'new SimulatedMachineTemplate',
      'new SimulatedControlPlane',
      'patch Cluster',
      'new SimulatedMachineTemplate',
      'new SimulatedBootstrapConfigTemplate',
      'new MachineDeployment',
      'new MachineHealthCheck',
      'new SimulatedMachineTemplate',
      'new SimulatedBootstrapConfigTemplate',
      'new MachineDeployment',
      'new MachineHealthCheck',
      'new SimulatedMachinePool',
      'new SimulatedBootstrapConfig',
      'new MachinePool',
    ],
  },
  { reason: 'nothing changed', change: async () => undefined, actions: [] },
  {
    reason: 'a MachineDeployment is scaled',
    change: ({ edit }) =>
      edit(clusterRef, cluster => {
        Object.assign(workersOf(cluster, 'machineDeployments')[0] ?? {}, { replicas: 4 });
      }),
    actions: ['apply MachineDeployment'],
  },
  {
    reason: 'the control plane is scaled',
    change: ({ edit }) =>
      edit(clusterRef, cluster => Object.assign(spec(cluster, 'topology.controlPlane'), { replicas: 5 })),
    actions: ['apply SimulatedControlPlane'],
  },
  {
    reason: 'a MachinePool is scaled',
    change: ({ edit }) =>
      edit(clusterRef, cluster => {
        Object.assign(workersOf(cluster, 'machinePools')[0] ?? {}, { replicas: 1 });
      }),
    actions: ['apply MachinePool'],
  },
  {
    reason: 'workers get a label, which their templates get, too',
    change: ({ edit }) =>
      edit(clusterRef, cluster => {
        Object.assign(workersOf(cluster, 'machineDeployments')[0] ?? {}, { metadata: { labels: { zone: 'north' } } });
      }),
    actions: ['apply MachineDeployment'],
  },
  {
    reason: 'a label that the topology gave is taken away again',
    change: async ({ edit, run, api }) => {
      await edit(clusterRef, cluster => {
        Object.assign(workersOf(cluster, 'machineDeployments')[0] ?? {}, { metadata: { labels: { zone: 'north' } } });
      });
      await run();
      api.calls.reset();
      await edit(clusterRef, cluster => {
        delete workersOf(cluster, 'machineDeployments')[0]?.['metadata'];
      });
    },
    actions: ['apply MachineDeployment'],
  },
  {
    reason: 'a variable changes: templates of control plane and workers get successors',
    change: ({ edit }) =>
      edit(clusterRef, cluster => Object.assign(spec(cluster, 'topology.variables')[0] ?? {}, { value: 'large' })),
    actions: [
      'new SimulatedMachineTemplate',
      'apply SimulatedControlPlane',
      'delete SimulatedMachineTemplate',
      'patch SimulatedMachineTemplate',
      'new SimulatedMachineTemplate',
      'apply MachineDeployment',
    ],
  },
  {
    reason: 'a variable of one MachineDeployment changes',
    change: ({ edit }) =>
      edit(clusterRef, cluster => {
        Object.assign(workersOf(cluster, 'machineDeployments')[1] ?? {}, {
          variables: { overrides: [{ name: 'size', value: 'small' }] },
        });
      }),
    actions: ['new SimulatedMachineTemplate', 'apply MachineDeployment'],
  },
  {
    reason: 'a variable that has a patch of its own is set: infrastructure changes in place',
    change: ({ edit }) =>
      edit(clusterRef, cluster => {
        spec(cluster, 'topology')['variables'] = [
          { name: 'size', value: 'medium' },
          { name: 'zones', value: ['zone-b'] },
        ];
      }),
    actions: ['apply SimulatedCluster'],
  },
  {
    reason: 'a MachineDeployment is added',
    change: ({ edit }) =>
      edit(clusterRef, cluster => {
        workersOf(cluster, 'machineDeployments').push({ class: 'worker', name: 'side', replicas: 1 });
      }),
    actions: [
      'new SimulatedMachineTemplate',
      'new SimulatedBootstrapConfigTemplate',
      'new MachineDeployment',
      'new MachineHealthCheck',
    ],
  },
  {
    reason: 'a MachineDeployment goes',
    change: ({ edit }) => edit(clusterRef, cluster => workersOf(cluster, 'machineDeployments').pop()),
    actions: ['delete MachineHealthCheck', 'delete MachineDeployment'],
  },
  {
    reason: 'a MachinePool is added, another one is removed',
    change: ({ edit }) =>
      edit(clusterRef, cluster => {
        Object.assign(workersOf(cluster, 'machinePools')[0] ?? {}, { name: 'stream' });
      }),
    actions: ['new SimulatedMachinePool', 'new SimulatedBootstrapConfig', 'new MachinePool', 'delete MachinePool'],
  },
  {
    reason: 'an upgrade starts with the control plane',
    change: world => toVersion(world, 'v1.36.0'),
    actions: ['patch Cluster', 'apply SimulatedControlPlane'],
  },
  {
    reason: 'an upgrade over two minors takes the first one',
    change: async world => {
      await withVersions(world);
      await toVersion(world, 'v1.37.0');
    },
    actions: ['patch Cluster', 'apply SimulatedControlPlane'],
  },
  {
    reason: 'the control plane is there, the first workers follow',
    change: async world => {
      await toVersion(world, 'v1.36.0');
      await world.run();
      await world.controlPlaneRuns('v1.36.0');
      world.api.calls.reset();
    },
    actions: ['patch Cluster', 'apply MachineDeployment', 'apply MachinePool'],
  },
  {
    reason: 'a MachineDeployment is deferred',
    change: async world => {
      await world.edit(clusterRef, cluster => {
        Object.assign(workersOf(cluster, 'machineDeployments')[0] ?? {}, {
          metadata: { annotations: { 'topology.cluster.x-k8s.io/defer-upgrade': '' } },
        });
      });
      await world.run();
      await toVersion(world, 'v1.36.0');
      await world.run();
      await world.controlPlaneRuns('v1.36.0');
      world.api.calls.reset();
    },
    actions: ['patch Cluster', 'apply MachineDeployment', 'apply MachinePool'],
  },
  {
    reason: 'the class no longer defines a health check of its control plane',
    change: async ({ edit, runClass, api }) => {
      await edit(classRef, object => {
        delete spec(object, 'controlPlane')['healthCheck'];
      });
      await runClass();
      api.calls.reset();
    },
    actions: ['delete MachineHealthCheck'],
  },
  {
    reason: 'the class defines another health check of its workers',
    change: async ({ edit, runClass, api }) => {
      await edit(classRef, object => {
        Object.assign(valueAt(workersOf(object, 'machineDeployments')[0], 'healthCheck.checks') ?? {}, {
          nodeStartupTimeoutSeconds: 600,
        });
      });
      await runClass();
      api.calls.reset();
    },
    actions: ['apply MachineHealthCheck', 'apply MachineHealthCheck'],
  },
  {
    reason: 'the class names another template for its workers',
    change: async world => {
      await world.api.others.create({
        ...template(''),
        metadata: { name: 'newer', namespace: 'default' },
        spec: { template: { spec: { image: 'newer-linux', provisionSeconds: 1 } } },
      });
      await nameTemplate(world, 'newer');
    },
    actions: [
      'new SimulatedMachineTemplate',
      'apply MachineDeployment',
      'new SimulatedMachineTemplate',
      'apply MachineDeployment',
    ],
  },
  {
    reason: 'the Cluster moves to another class',
    change: async ({ api, edit, runClass }) => {
      const { spec: same } = api.read(classRef);
      await api.others.create({ ...classRef, metadata: { name: 'other', namespace: 'default' }, spec: same });
      await runClass();
      const { status } = api.read(classRef);
      const other = { ...classRef, name: 'other' };
      await api.others.mergePatch(other, { status }, { subresource: 'status' });
      await api.others.mergePatch(other, { status: { observedGeneration: 1 } }, { subresource: 'status' });
      await edit(clusterRef, cluster => Object.assign(spec(cluster, 'topology.classRef'), { name: 'other' }));
      api.calls.reset();
    },
    actions: [],
  },
  {
    reason: 'a patch of the class changes',
    change: async ({ edit, runClass, api }) => {
      await edit(classRef, object => {
        const [patch] = Object.values(spec(object, 'patches'));
        Object.assign(patch ?? {}, { enabledIf: '{{ if eq .size "large" }}true{{ end }}' });
      });
      await runClass();
      api.calls.reset();
    },
    actions: [
      'new SimulatedMachineTemplate',
      'apply SimulatedControlPlane',
      'delete SimulatedMachineTemplate',
      'patch SimulatedMachineTemplate',
      'new SimulatedMachineTemplate',
      'apply MachineDeployment',
    ],
  },
  {
    reason: 'the Cluster is being deleted',
    change: async ({ api, edit }) => {
      await edit(clusterRef, cluster => {
        Object.assign(valueAt(cluster, 'metadata') ?? {}, { finalizers: ['example.com/held'] });
      });
      await api.others.delete(clusterRef);
    },
    actions: ['patch Cluster'],
  },
  {
    reason: 'the Cluster is paused',
    change: async ({ edit }) =>
      edit(clusterRef, cluster => Object.assign(valueAt(cluster, 'spec') ?? {}, { paused: true })),
    actions: [],
  },
  {
    reason: 'the field owners of an object are unknown',
    change: async ({ api, all }) => {
      const [found] = await all('MachineDeployment');
      if (found !== undefined) {
        const { apiVersion, kind, metadata } = found;
        const ref = { apiVersion, kind, namespace: 'default', name: metadata.name };
        await api.others.mergePatch(ref, { metadata: { managedFields: [{}] } });
      }
    },
    actions: ['patch MachineDeployment'],
  },
  {
    reason: 'a template of the class is missing',
    change: ({ api }) => api.others.delete(template('simulated-worker')),
    actions: [],
    result: 'failed',
  },
  {
    reason: 'a variable has a value that the class does not allow',
    change: ({ edit }) =>
      edit(clusterRef, cluster => Object.assign(spec(cluster, 'topology.variables')[0] ?? {}, { value: 7 })),
    actions: [],
    result: 'failed',
  },
  {
    reason: 'a patch makes what the schema of a template refuses',
    change: async ({ edit, runClass, api }) => {
      await edit(classRef, object => {
        const [patch] = Object.values(spec(object, 'patches'));
        const [definition] = Object.values(valueAt(patch, 'definitions') ?? {});
        Object.assign(definition, {
          jsonPatches: [{ op: 'add', path: '/spec/template/spec/provisionSeconds', value: 'soon' }],
        });
      });
      await runClass();
      api.calls.reset();
    },
    actions: [],
    result: 'failed',
  },
];

async function withVersions({ edit, runClass, api }: ExampleTopology): Promise<void> {
  await edit(classRef, object => {
    Object.assign(object['spec'] ?? {}, { kubernetesVersions: ['v1.35.0', 'v1.36.0', 'v1.37.0'] });
  });
  await runClass();
  api.calls.reset();
}

async function nameTemplate({ edit, runClass, api }: ExampleTopology, name: string): Promise<void> {
  await edit(classRef, object => {
    Object.assign(valueAt(workersOf(object, 'machineDeployments')[0], 'infrastructure.templateRef') ?? {}, { name });
  });
  await runClass();
  api.calls.reset();
}
