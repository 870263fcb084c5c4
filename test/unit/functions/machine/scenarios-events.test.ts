// Scenarios of events: which Machines a change enqueues, by the watch-forwarder and by the resync. Also the reconcile of
// a Machine that no longer exists.
import { type Intent, type Kind, toApiVersion } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { machineDeclaration } from '../../../../functions/machine/declaration.ts';
import { createMachineReconciler } from '../../../../functions/machine/reconciler.ts';
import { defaultSettings } from '../../../../functions/machine/settings.ts';
import { reconcile } from '../../../../shared/kernel/reconcile.ts';
import type { aCluster } from '../../../support/builders.ts';
import { fakeHooks } from '../../../support/fake-hooks.ts';
import type { FakeWatches } from '../../../support/fake-watches.ts';
import { aRecordingLog, widgetCrd } from '../../../support/kernel.ts';
import { createMemoryApi, installCrd } from '../../../support/memory-api.ts';
import { ResyncWorld } from '../resync/resync-with-queues.ts';
import { WatchForwarderWorld } from '../watch-forwarder/stepped-forwarder.ts';
import { fakeWorkload } from './machine-pass.ts';
import { aCapiCluster, aMachine, infraAdopted, machineOwner } from './scenario-objects.ts';

const core = { group: 'cluster.x-k8s.io', version: 'v1beta2', scope: 'Namespaced' } as const;
const machineKind: Kind = { ...core, kind: 'Machine' };
const clusterKind: Kind = { ...core, kind: 'Cluster' };
const infraKind: Kind = { ...core, group: 'infrastructure.cluster.x-k8s.io', kind: 'FooMachine' };
const served = [
  clusterKind,
  machineKind,
  infraKind,
  { ...core, kind: 'MachineSet' },
  { ...core, kind: 'MachineDeployment' },
];
const infraCrd = 'foomachines.infrastructure.cluster.x-k8s.io';
const infraDefinition: Intent = {
  ...widgetCrd,
  metadata: { name: infraCrd, labels: { 'cluster.x-k8s.io/v1beta2': infraKind.version } },
  spec: {
    group: infraKind.group,
    scope: infraKind.scope,
    names: { kind: infraKind.kind, plural: 'foomachines' },
    versions: [
      {
        name: infraKind.version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
const isNotDue = { fullPeriodSeconds: 30 * 86_400 };
const minute = 60_000;

function put(api: FakeWatches, kind: Kind, object: ReturnType<typeof aMachine> | ReturnType<typeof aCluster>): void {
  const { metadata, spec, status } = object.build();
  const { resourceVersion: _, ...draft } = metadata;
  api.put(kind, draft, { spec, status });
}

const ownedBy = (name: string) => infraAdopted().owners({ ...machineOwner, name, uid: `uid-${name}` });

function givenMachines(api: FakeWatches): void {
  put(api, clusterKind, aCapiCluster());
  for (const name of ['m1', 'm2']) {
    put(api, machineKind, aMachine().named(name).withUid(`uid-${name}`));
  }
  put(api, infraKind, ownedBy('m1'));
}

async function aForwarder() {
  const world = new WatchForwarderWorld({ declarations: [machineDeclaration], served });
  world.crdLabels.set(infraCrd, { 'cluster.x-k8s.io/v1beta2': infraKind.version });
  givenMachines(world.api);
  await world.start();
  await world.clock.advance(minute);
  /** Returns the names of the Machines that this change enqueues, or of the sources of expansions. */
  const enqueuedBy = async (change: () => void): Promise<readonly string[]> => {
    const [requests, expansions] = [world.requests('machine').length, world.expansions().length];
    change();
    await world.clock.advance(minute);
    return [
      ...world
        .requests('machine')
        .slice(requests)
        .map(({ key }) => key.name),
      ...world
        .expansions()
        .slice(expansions)
        .map(({ source }) => `all of ${source.kind} ${source.name}`),
    ];
  };
  return { api: world.api, enqueuedBy };
}

describe('a Machine that does not exist', () => {
  it('is reconciled without error and without writes (scenario 1)', async () => {
    const api = createMemoryApi();
    const { clock, kubernetes } = api;
    const { result, defect } = await reconcile(
      {
        reconciler: createMachineReconciler(defaultSettings),
        kubernetes,
        clock,
        ports: { hooks: fakeHooks(), workloadApi: fakeWorkload({}).api },
        signal: new AbortController().signal,
        log: aRecordingLog(),
        watchFilter: '',
      },
      { apiVersion: toApiVersion(machineKind), kind: 'Machine', namespace: 'ns', name: 'm1' },
    );
    expect(result).toEqual({ kind: 'done' });
    expect(defect).toBeUndefined();
    expect(api.calls.writes).toEqual([]);
    expect(api.calls.all).toHaveLength(1);
  });
});

describe('an event of a Cluster whose control plane is initialized', () => {
  it('enqueues no Machine if ControlPlaneInitialized was True before (scenario 125)', async () => {
    const { api, enqueuedBy } = await aForwarder();
    const initialized = () =>
      put(api, clusterKind, aCapiCluster().withCondition('Available').labelled({ changed: '1' }));
    expect(await enqueuedBy(initialized)).toEqual([]);
  });

  it('enqueues its Machines if the Cluster is paused or no longer paused, unlike Cluster API (scenario 125)', async () => {
    const { api, enqueuedBy } = await aForwarder();
    const paused = aCapiCluster().withSpec({ paused: true }).atGeneration(8);
    expect(await enqueuedBy(() => put(api, clusterKind, paused))).toEqual(['all of Cluster c1']);
    expect(await enqueuedBy(() => put(api, clusterKind, aCapiCluster().atGeneration(9)))).toEqual([
      'all of Cluster c1',
    ]);
  });

  it('enqueues its Machines when ControlPlaneInitialized becomes True', async () => {
    const { api, enqueuedBy } = await aForwarder();
    const uninitialized = aCapiCluster().withCondition('ControlPlaneInitialized', { status: 'False' });
    await enqueuedBy(() => put(api, clusterKind, uninitialized));
    expect(await enqueuedBy(() => put(api, clusterKind, aCapiCluster()))).toEqual(['all of Cluster c1']);
  });
});

describe('an infrastructure machine that gets another owner', () => {
  it('enqueues its new Machine at once (scenario 126)', async () => {
    const { api, enqueuedBy } = await aForwarder();
    expect(await enqueuedBy(() => put(api, infraKind, ownedBy('m1')))).toEqual(['m1']);
    expect(await enqueuedBy(() => put(api, infraKind, ownedBy('m2')))).toEqual(['m2']);
  });

  it('enqueues both Machines with the next resync: events do not contain the former owner (scenario 126)', async () => {
    const world = new ResyncWorld([machineDeclaration], served);
    installCrd(world.server.core, infraDefinition);
    givenMachines(world.api);
    await world.run();
    expect(await world.run(isNotDue)).toEqual([]);
    put(world.api, infraKind, ownedBy('m2'));
    put(world.api, infraKind, ownedBy('m2'));
    expect(await world.run(isNotDue)).toEqual(['machine ns/m1', 'machine ns/m2']);
  });

  it('enqueues nothing while it is paused (scenario 127)', async () => {
    const { api, enqueuedBy } = await aForwarder();
    const paused = ownedBy('m1').annotated({ 'cluster.x-k8s.io/paused': '' });
    expect(await enqueuedBy(() => put(api, infraKind, paused))).toEqual([]);
  });
});
