// The hooks before creation and deletion of a Cluster, and those after initialization and upgrades.

import { invalid, type Unstructured, valid } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { topologyReconciled } from '../../../../functions/topology/conditions/topology-reconciled.ts';
import {
  askAfterHooks,
  askBeforeCreation,
  askBeforeDeletion,
  topologyHooks,
} from '../../../../functions/topology/observe/hooks/topology-hooks.ts';
import { planVersions } from '../../../../functions/topology/observe/plan-versions.ts';
import { readHookState, toBookkeeping } from '../../../../functions/topology/plan/upgrade/hook-state.ts';
import { readCluster } from '../../../../shared/api/cluster/reader.ts';
import type { WorkloadNodes } from '../../../../shared/workload/port.ts';
import { type FakeAnswer, fakeHooks } from '../../../support/fake-hooks.ts';
import { fakeReads, type ReadFault } from '../../../support/fake-reads.ts';
import { type Built, ObjectBuilder, testStart } from '../../../support/object-builder.ts';
import { aCurrent, nothingYet, settledObjects, settledVersions } from '../../../support/settled-topology.ts';
import {
  aBlueprint,
  aSettledTopologyCluster,
  aTopologyClass,
  aTopologyCluster,
} from '../../../support/topology-objects.ts';
import { marked, pendingHooks } from '../../../support/topology-upgrade.ts';
import { aDiscovered, extensionUrl } from '../../shared/runtime-hooks/hook-calling-pass.ts';

interface Given {
  readonly cluster: Built<Unstructured>;
  /** The response of each hook. Other hooks have no extension. */
  readonly answers?: Readonly<Record<string, FakeAnswer>>;
  readonly objects?: readonly Built<Unstructured>[];
  readonly faults?: readonly ReadFault[];
  readonly nodes?: WorkloadNodes;
  readonly nowMs?: number;
}

function aPass({ cluster: built, answers = {}, objects = [], faults = [], nodes, nowMs = 0 }: Given) {
  const extension = fakeHooks();
  const handlers = Object.keys(answers).map(hook => ({ name: hook.toLowerCase(), hook }));
  for (const [hook, answer] of Object.entries(answers)) {
    extension.answer(extensionUrl, `${hook.toLowerCase()}/${hook.toLowerCase()}`, answer);
  }
  const cluster = readCluster(
    'build' in built && typeof built.build === 'function' ? built.build() : (built as Unstructured),
  );
  const reads = fakeReads([...objects, ...(handlers.length === 0 ? [] : [aDiscovered(handlers)])], faults);
  const unasked: WorkloadNodes = { kubeletVersions: async () => new Map() };
  const ask = { ...reads, hooks: extension, nodes: nodes ?? unasked };
  const pass = { number: 1, now: testStart + nowMs, signal: new AbortController().signal };
  return { cluster, ask, pass, reads, extension, hooks: topologyHooks(ask, pass, cluster.object) };
}

const success = { body: { status: 'Success' } };
const failure = { body: { status: 'Failure', message: 'no' } };
const blocks = (retryAfterSeconds: number, message = 'wait') => ({
  body: { status: 'Success', message, retryAfterSeconds },
});

describe('BeforeClusterCreate', () => {
  const cluster = aTopologyCluster();

  it('blocks a new topology, and is not called again before its time', async () => {
    const first = aPass({ cluster, answers: { BeforeClusterCreate: blocks(30) } });
    const hookState = readHookState(first.cluster.metadata.annotations);
    const held = await askBeforeCreation(first.cluster, hookState, first.hooks);
    expect(held).toMatchObject({ ok: true, value: { waitMs: 30_000 } });
    if (!held.ok) {
      return;
    }
    const change = toBookkeeping(held.value.hookState, 'withoutStart');
    const noted = cluster.annotated(
      Object.fromEntries(Object.entries(change).map(([key, value]) => [key, value ?? ''])),
    );
    const later = aPass({ cluster: noted, answers: { BeforeClusterCreate: success }, nowMs: 10_250 });
    const again = await askBeforeCreation(
      later.cluster,
      readHookState(later.cluster.metadata.annotations),
      later.hooks,
    );
    expect(again).toMatchObject({ ok: true, value: { waitMs: 19_750 } });
    expect(later.extension.calls).toEqual([]);
    const reported = topologyReconciled({
      cluster: later.cluster,
      error: undefined,
      isClassBehind: false,
      responses: again.ok ? again.value.hookState.responses : new Map(),
      isAfterClusterUpgradePending: false,
      upgrade: undefined,
    });
    expect(reported?.condition).toMatchObject({
      reason: 'ClusterCreating',
      message: 'Following hooks are blocking Cluster topology creation: BeforeClusterCreate: wait',
    });
  });

  it.each([
    {
      reason: 'it allows the creation of the topology',
      of: cluster,
      answers: { BeforeClusterCreate: success },
      calls: 1,
    },
    { reason: 'no extension serves it', of: cluster, answers: {}, calls: 0 },
    {
      reason: 'there is something already',
      of: cluster.withInfrastructureRef(),
      answers: { BeforeClusterCreate: blocks(5) },
      calls: 0,
    },
    {
      reason: 'there is a control plane already',
      of: cluster.withControlPlaneRef(),
      answers: { BeforeClusterCreate: blocks(5) },
      calls: 0,
    },
  ])('blocks nothing when $reason', async ({ of, answers, calls }) => {
    const { cluster: read, hooks, extension } = aPass({ cluster: of, answers });
    const asked = await askBeforeCreation(read, readHookState({}), hooks);
    expect(asked).toMatchObject({ ok: true, value: { waitMs: undefined } });
    expect(extension.calls).toHaveLength(calls);
  });

  it('fails the pass when its extension fails', async () => {
    const { cluster: read, hooks } = aPass({ cluster, answers: { BeforeClusterCreate: failure } });
    expect(await askBeforeCreation(read, readHookState({}), hooks)).toEqual(
      invalid(
        'failed to call extension handlers for hook "BeforeClusterCreate.hooks.runtime.cluster.x-k8s.io": failed to call extension handler "beforeclustercreate.ext1": got failure response with message: no',
      ),
    );
  });

  it('is not called without RuntimeSDK', async () => {
    const { cluster: read } = aPass({ cluster });
    const hookState = readHookState({});
    expect(await askBeforeCreation(read, hookState, undefined)).toEqual(valid({ hookState, waitMs: undefined }));
  });
});

describe('AfterControlPlaneInitialized', () => {
  const askAfter = async (given: Given) => {
    const { cluster, hooks, extension } = aPass(given);
    const hookState = readHookState(cluster.metadata.annotations);
    const input = { cluster, versions: settledVersions(), topologyVersion: 'v1.31.0', hookState };
    const { hookState: written, failure: problem } = await askAfterHooks(input, hooks);
    return { change: toBookkeeping(written, 'whole'), problem, calls: extension.calls.length };
  };
  const owing = aSettledTopologyCluster().annotated(marked('AfterControlPlaneInitialized'));
  const answers = { AfterControlPlaneInitialized: success };

  it('is marked from the first pass on', async () => {
    expect(await askAfter({ cluster: aTopologyCluster(), answers })).toEqual({
      change: { [pendingHooks]: 'AfterControlPlaneInitialized' },
      problem: undefined,
      calls: 0,
    });
  });

  it('is called once the control plane is initialized, and then no longer marked', async () => {
    const initialized = owing.withCondition('ControlPlaneInitialized');
    expect(await askAfter({ cluster: owing, answers })).toEqual({ change: {}, problem: undefined, calls: 0 });
    expect(await askAfter({ cluster: initialized, answers })).toEqual({
      change: { [pendingHooks]: null },
      problem: undefined,
      calls: 1,
    });
    expect(await askAfter({ cluster: initialized })).toEqual({
      change: { [pendingHooks]: null },
      problem: undefined,
      calls: 0,
    });
  });

  it('stays marked when it fails', async () => {
    const initialized = owing.withCondition('ControlPlaneInitialized');
    const failed = await askAfter({ cluster: initialized, answers: { AfterControlPlaneInitialized: failure } });
    expect(failed).toMatchObject({ change: {}, calls: 1 });
    expect(failed.problem).toContain('got failure response with message: no');
  });

  it('is not called without RuntimeSDK', async () => {
    const { cluster } = aPass({ cluster: aTopologyCluster() });
    const hookState = readHookState({});
    const input = { cluster, versions: settledVersions(), topologyVersion: 'v1.31.0', hookState };
    expect(await askAfterHooks(input, undefined)).toEqual({ hookState, failure: undefined });
  });
});

describe('BeforeClusterDelete', () => {
  const cluster = aSettledTopologyCluster().deleting();
  const okToDelete = 'runtime.cluster.x-k8s.io/ok-to-delete';

  it.each([
    {
      reason: 'it blocks',
      of: cluster,
      answers: { BeforeClusterDelete: blocks(5, 'saving') },
      approval: {
        change: {
          'capi-serverless.dev/blocking-hooks':
            '{"BeforeClusterDelete":{"until":"2026-01-01T00:00:05.000Z","message":"saving"}}',
        },
        waitMs: 5000,
      },
    },
    {
      reason: 'it allows the deletion of the Cluster',
      of: cluster,
      answers: { BeforeClusterDelete: success },
      approval: { change: { [okToDelete]: '' }, waitMs: undefined },
    },
    {
      reason: 'no extension serves it',
      of: cluster,
      answers: {},
      approval: { change: { [okToDelete]: '' }, waitMs: undefined },
    },
    {
      reason: 'it was allowed before',
      of: cluster.annotated({ [okToDelete]: 'false' }),
      answers: { BeforeClusterDelete: blocks(5) },
      approval: { change: {}, waitMs: undefined },
    },
  ])('$reason', async ({ of, answers, approval }) => {
    const { cluster: read, hooks } = aPass({ cluster: of, answers });
    expect(await askBeforeDeletion(read, hooks)).toMatchObject({ ok: true, value: approval });
  });

  it('fails the pass when its extension fails', async () => {
    const { cluster: read, hooks } = aPass({ cluster, answers: { BeforeClusterDelete: failure } });
    expect(await askBeforeDeletion(read, hooks)).toMatchObject({ ok: false });
  });

  it('is not called without RuntimeSDK', async () => {
    const { cluster: read } = aPass({ cluster });
    expect(await askBeforeDeletion(read, undefined)).toEqual(
      valid({ change: {}, responses: new Map(), waitMs: undefined }),
    );
  });
});

describe('what is read to plan versions', () => {
  const blueprint = aBlueprint();
  const node = (answer: ReturnType<typeof valid<string>>): WorkloadNodes => ({
    kubeletVersions: async (_, names) => new Map(names.map(name => [name, answer])),
  });
  const withNode = { mp1: settledObjects().mp1.withStatus({ nodeRefs: [{ name: 'n1' }] }) };
  const kubeconfig = new ObjectBuilder({ apiVersion: 'v1', kind: 'Secret', name: 'c1-kubeconfig' }).in('ns1');
  const plan = (given: Omit<Given, 'cluster'>, current = aCurrent()) => {
    const { ask, pass, hooks, reads } = aPass({ cluster: aSettledTopologyCluster(), ...given });
    const planned = planVersions({ blueprint, current, hookState: readHookState({}) }, ask, { pass, hooks });
    return planned.then(({ versions }) => ({ versions, trips: reads.trips }));
  };

  it('is one list of Machines of the Cluster, and no Nodes that no MachinePool names', async () => {
    const { versions, trips } = await plan({});
    expect(versions).toEqual(valid(settledVersions()));
    expect(trips.flat().filter(line => !line.startsWith('list ExtensionConfig'))).toEqual(['list Machine ns1']);
  });

  it('is nothing for a topology that does not exist yet', async () => {
    const { versions, trips } = await plan({}, nothingYet);
    expect(versions).toEqual(valid(settledVersions()));
    expect(trips.flat()).toEqual([]);
  });

  it('is the kubeconfig for the Nodes of MachinePools', async () => {
    const { versions, trips } = await plan(
      { objects: [kubeconfig], nodes: node(valid('v1.30.0')) },
      aCurrent(withNode),
    );
    expect(versions.ok && versions.value.machinePools.upgrading).toEqual(new Set(['c1-mp1-jjjjj']));
    expect(trips.flat()).toContain('get Secret ns1/c1-kubeconfig');
  });

  it.each([
    {
      reason: 'Machines cannot be listed',
      given: { faults: [{ at: 'list Machine ns1', message: 'boom' }] },
      current: aCurrent(),
      error: 'failed to check which MachineDeployments are upgrading: failed to list Machines of Cluster ns1/c1: boom',
    },
    {
      reason: 'there is no kubeconfig',
      given: {},
      current: aCurrent(withNode),
      error:
        'failed to check if any MachinePool is upgrading: error getting client: connection to the workload cluster is down',
    },
    {
      reason: 'the kubeconfig cannot be read',
      given: { faults: [{ at: 'get Secret ns1/c1-kubeconfig', message: 'boom' }] },
      current: aCurrent(withNode),
      error:
        'failed to check if any MachinePool is upgrading: error getting client: failed to get Secret ns1/c1-kubeconfig: boom',
    },
    {
      reason: 'a control plane does not report its version',
      given: {},
      current: aCurrent({ controlPlane: settledObjects().controlPlane.withStatus({ versions: 'x' }) }),
      error:
        'failed to compute ControlPlane: failed to check if the control plane is being provisioned: failed to get .status.versions from object: .status.versions is a string, expected a list',
    },
    {
      reason: 'a control plane has no version',
      given: {},
      current: aCurrent({ controlPlane: settledObjects().controlPlane.withSpec({ version: undefined }) }),
      error: 'failed to get the version from control plane spec: .spec.version is not set',
    },
    {
      reason: 'a control plane writes the version of the topology in another way, so that no plan leads there',
      given: {},
      current: aCurrent({ controlPlane: settledObjects().controlPlane.withSpec({ version: '1.31.0' }) }),
      error:
        'failed to compute ControlPlane: cannot compute the control plane version if the control plane is pending upgrade and the upgrade plan is not set',
    },
    {
      reason: 'workers write the version of the topology in another way',
      given: {},
      current: aCurrent({ md1: settledObjects('1.31.0').md1 }),
      error:
        'failed to compute MachineDeployments: failed to compute MachineDepoyment for topology "md1": cannot compute the machine deployment version if the machine deployment is pending upgrade and the upgrade plan is not set',
    },
  ])('fails when $reason', async ({ given, current, error }) => {
    expect((await plan(given, current)).versions).toEqual(invalid(error));
  });

  it('delays new workers while the control plane runs no version', async () => {
    const current = {
      ...aCurrent({ controlPlane: settledObjects().controlPlane.withStatus({ version: '', versions: [] }) }),
      machineDeployments: new Map(),
    };
    const { versions } = await plan({}, current);
    expect(versions.ok && [...versions.value.machineDeployments.pendingCreate]).toEqual(['md1']);
  });
});

describe('a plan of an extension', () => {
  const cluster = aSettledTopologyCluster({ version: 'v1.32.0' });
  const external = { generateUpgradePlanExtension: 'generateupgradeplan.ext1' };
  const blueprint = aBlueprint({ cluster, clusterClass: aTopologyClass({ spec: { upgrade: { external } } }) });
  const plan = async (answer: FakeAnswer) => {
    const { ask, pass, hooks, extension } = aPass({ cluster, answers: { GenerateUpgradePlan: answer } });
    const input = { blueprint, current: aCurrent(), hookState: readHookState({}) };
    return { planned: await planVersions(input, ask, { pass, hooks }), calls: extension.calls };
  };

  it('is requested with the current and the desired versions', async () => {
    const { planned, calls } = await plan({
      body: { status: 'Success', controlPlaneUpgrades: [{ version: 'v1.32.0' }] },
    });
    expect(planned.plan).toEqual({ controlPlane: ['v1.32.0'], workers: ['v1.32.0'] });
    expect(calls[0]?.body).toMatchObject({
      fromControlPlaneKubernetesVersion: 'v1.31.0',
      fromWorkersKubernetesVersion: 'v1.31.0',
      toKubernetesVersion: 'v1.32.0',
      cluster: { metadata: { name: 'c1' } },
    });
  });

  it('is absent when the extension fails, and the one in the status stays', async () => {
    const { planned } = await plan(failure);
    expect(planned.plan).toBeUndefined();
    expect(planned.versions).toEqual(
      invalid(
        'failed to get upgrade plan from extension: failed to call extension handler "generateupgradeplan.ext1": got failure response with message: no',
      ),
    );
  });
});
