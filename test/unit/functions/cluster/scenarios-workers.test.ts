// Scenarios of the Cluster's behaviour: Machines, MachineSets, MachineDeployments and MachinePools, with and without control plane object.
import { describe, expect, it } from 'vitest';
import { aMachine, aMachineDeployment, aMachinePool, aMachineSet } from '../../../support/builders.ts';
import {
  aFreshCluster,
  aSettledCluster,
  controlPlaneOk,
  endpointWrite,
  infraOk,
  infraRef,
  logs,
  now,
  reconcileOnce,
  withBothRefs,
} from './cluster-pass.ts';

const both = () => withBothRefs(aSettledCluster());
const standAlone = () => aSettledCluster().withInfrastructureRef(infraRef);
const providers = [infraOk(), controlPlaneOk()];
const owner = aFreshCluster();
const no = { status: 'False', reason: 'No' } as const;

describe('workers', () => {
  it('a MachineDeployment makes the workers available and counts', async () => {
    const md1 = aMachineDeployment()
      .withReplicas(3)
      .withStatus({ replicas: 3, readyReplicas: 2 })
      .withCondition('Available')
      .withCondition('RollingOut', no)
      .withCondition('ScalingUp', no)
      .withCondition('ScalingDown', no);
    const reconciled = await reconcileOnce(both(), { objects: [...providers, md1] });
    expect(reconciled.condition('WorkersAvailable')).toBe('True/Available');
    expect(reconciled.status['workers']).toEqual({ desiredReplicas: 3, replicas: 3, readyReplicas: 2 });
    for (const type of ['RollingOut', 'ScalingUp', 'ScalingDown']) {
      expect(reconciled.condition(type)).toBe(`False/Not${type}`);
    }
    expect([reconciled.result, reconciled.writes]).toEqual(['done', [endpointWrite]]);
  });

  it('unknown descendants make all their conditions unknown', async () => {
    const reconciled = await reconcileOnce(both(), {
      objects: providers,
      readFaults: [{ at: 'list Machine ns', message: 'boom' }],
    });
    expect(reconciled.result).toBe('failed to list Machines for cluster ns/c1: boom');
    for (const type of [
      'WorkersAvailable',
      'RollingOut',
      'Remediating',
      'ScalingUp',
      'ScalingDown',
      'ControlPlaneMachinesReady',
      'ControlPlaneMachinesUpToDate',
      'WorkerMachinesReady',
      'WorkerMachinesUpToDate',
    ]) {
      expect([type, reconciled.condition(type)]).toEqual([type, `Unknown/InternalError ${logs}`]);
    }
    expect(reconciled.condition('Available')).toBe(`Unknown/AvailableUnknown * WorkersAvailable: ${logs}`);
    expect(reconciled.status['workers']).toEqual({});
    expect(reconciled.writes).toEqual([endpointWrite]);
  });

  it.each(['MachineDeployment', 'MachineSet', 'MachinePool'])('names the list that failed: %s', async kind => {
    const reconciled = await reconcileOnce(both(), {
      objects: providers,
      readFaults: [{ at: `list ${kind} ns`, message: 'boom' }],
    });
    expect(reconciled.result).toBe(`failed to list ${kind}s for cluster ns/c1: boom`);
  });

  it('keeps the counters it cannot compute', async () => {
    const stored = { workers: { replicas: 2 }, controlPlane: { replicas: 1 } };
    const reconciled = await reconcileOnce(standAlone().withStatus(stored), {
      objects: [infraOk()],
      readFaults: [{ at: 'list MachineSet ns', message: 'boom' }],
    });
    expect(reconciled.status).toMatchObject(stored);
  });

  it('a Machine that must be replaced is remediated', async () => {
    const unhealthy = { status: 'False', reason: 'NodeStartupTimeout' } as const;
    const w1 = aMachine()
      .named('w1')
      .withCondition('HealthCheckSucceeded', unhealthy)
      .withCondition('OwnerRemediated', { ...no, message: 'Waiting for remediation' })
      .withCondition('Ready', { ...no, message: '* NodeHealthy: kubelet stopped' });
    const w2 = aMachine().named('w2').withCondition('HealthCheckSucceeded', unhealthy);
    const w3 = aMachine().named('w3').createdAt(now);
    const reconciled = await reconcileOnce(both(), { objects: [...providers, w1, w2, w3] });
    expect(reconciled.condition('Remediating')).toBe('True/Remediating * Machine w1: Waiting for remediation');
    expect(reconciled.condition('WorkerMachinesReady')).toBe(
      'False/NotReady * Machine w1:\n  * NodeHealthy: kubelet stopped\n* Machines w2, w3: Condition Ready not yet reported',
    );
    expect(reconciled.condition('WorkerMachinesUpToDate')).toBe(
      'Unknown/UpToDateUnknown * Machines w1, w2: Condition UpToDate not yet reported',
    );
    expect([reconciled.result, reconciled.writes]).toEqual(['done', [endpointWrite]]);
  });

  it.each([
    { ageMs: 10_000, expected: 'True/NoReplicas', reason: 'ten seconds old' },
    {
      ageMs: 11_000,
      expected: 'Unknown/UpToDateUnknown * Machine w: Condition UpToDate not yet reported',
      reason: 'older than that',
    },
  ])('counts a Machine without UpToDate by its age: $reason', async ({ ageMs, expected }) => {
    const reconciled = await reconcileOnce(both(), {
      objects: [
        ...providers,
        aMachine()
          .named('w')
          .createdAt(now - ageMs),
      ],
    });
    expect(reconciled.condition('WorkerMachinesUpToDate')).toBe(expected);
  });

  it('counts a young Machine that reports UpToDate, and none without creation time', async () => {
    const { creationTimestamp: _, ...metadata } = aMachine().named('w2').build().metadata;
    const reconciled = await reconcileOnce(both(), {
      objects: [
        ...providers,
        aMachine()
          .named('w1')
          .createdAt(now)
          .withCondition('UpToDate', { ...no, message: 'old' }),
        { ...aMachine().build(), metadata },
      ],
    });
    expect(reconciled.condition('WorkerMachinesUpToDate')).toBe('False/NotUpToDate * Machine w1: old');
  });

  it.each([
    { count: 1, message: 'Machine w1 is not healthy (not to be remediated)' },
    { count: 3, message: 'Machines w1, w2, w3 are not healthy (not to be remediated)' },
    { count: 5, message: 'Machines w1, w2, w3, ... (2 more) are not healthy (not to be remediated)' },
  ])('$count unhealthy Machines are not to be replaced', async ({ count, message }) => {
    const machines = Array.from({ length: count }, (_, index) =>
      aMachine()
        .named(`w${index + 1}`)
        .withCondition('HealthCheckSucceeded', no),
    );
    const reconciled = await reconcileOnce(both(), { objects: [...providers, ...machines.toReversed()] });
    expect(reconciled.condition('Remediating')).toBe(`False/NotRemediating ${message}`);
    expect([reconciled.result, reconciled.writes]).toEqual(['done', [endpointWrite]]);
  });

  it('omits healthy Machines and those of a pool', async () => {
    const reconciled = await reconcileOnce(both(), {
      objects: [
        ...providers,
        aMachine().named('healthy').withCondition('HealthCheckSucceeded'),
        aMachine()
          .named('of-pool')
          .labelled({ 'cluster.x-k8s.io/pool-name': 'mp1' })
          .withCondition('HealthCheckSucceeded', no),
      ],
    });
    expect(reconciled.condition('Remediating')).toBe('False/NotRemediating');
  });

  it('names unhealthy Machines of control plane and workers together, ordered by name', async () => {
    const reconciled = await reconcileOnce(both(), {
      objects: [
        ...providers,
        aMachine().named('b').controlPlane().withCondition('HealthCheckSucceeded', no),
        aMachine()
          .named('a')
          .createdAt(now - 60_000)
          .withCondition('HealthCheckSucceeded', no),
      ],
    });
    expect(reconciled.condition('Remediating')).toBe(
      'False/NotRemediating Machines a, b are not healthy (not to be remediated)',
    );
  });

  it('scaling objects are listed, without MachineSets of other owners', async () => {
    const yes = (message: string) => ({ status: 'True', reason: 'Yes', message }) as const;
    const reconciled = await reconcileOnce(both(), {
      objects: [
        infraOk(),
        controlPlaneOk().withCondition('ScalingUp', yes('Scaling up from 1 to 3 replicas')),
        aMachineDeployment().named('md1').withCondition('ScalingUp', yes('Scaling up from 0 to 3 replicas')),
        aMachineDeployment().named('md2'),
        aMachineSet()
          .named('ms1')
          .ownedBy(owner)
          .withCondition('ScalingUp', { status: 'Unknown', reason: 'U', message: 'not known' }),
        aMachineSet().named('ms2').withCondition('ScalingUp', yes('not ours')),
      ],
    });
    expect(reconciled.condition('ScalingUp')).toBe(
      'True/ScalingUp * FooControlPlane cp1: Scaling up from 1 to 3 replicas\n' +
        '* MachineDeployment md1: Scaling up from 0 to 3 replicas\n' +
        '* MachineDeployment md2: Condition ScalingUp not yet reported\n' +
        'And 1 MachineSet with status unknown',
    );
    expect([reconciled.result, reconciled.writes]).toEqual(['done', [endpointWrite]]);
  });

  it.each([
    { type: 'ScalingDown', expected: 'True/ScalingDown * MachineSet ms1: busy', reason: 'own MachineSets count' },
    { type: 'RollingOut', expected: 'False/NotRollingOut', reason: 'MachineSets do not roll out' },
  ])('$type: $reason', async ({ type, expected }) => {
    const busy = { status: 'True', reason: 'Busy', message: 'busy' } as const;
    const reconciled = await reconcileOnce(both(), {
      objects: [...providers, aMachineSet().ownedBy(owner).withCondition(type, busy)],
    });
    expect(reconciled.condition(type)).toBe(expected);
  });

  it('omits a control plane whose conditions cannot be read from rollouts', async () => {
    const reconciled = await reconcileOnce(both(), {
      objects: [infraOk(), controlPlaneOk().withStatus({ conditions: [{ type: 'RollingOut' }] })],
    });
    expect(reconciled.condition('RollingOut')).toBe('False/NotRollingOut');
  });

  it('counts pools, deployments, own sets and own Machines, and versions from all of them', async () => {
    const versions = [{ version: 'v1.34.0', replicas: 1 }, { version: 'v1.35.0' }];
    const up = aMachine().ownedBy(owner).withCondition('Ready').withCondition('Available').withCondition('UpToDate');
    const reconciled = await reconcileOnce(both(), {
      objects: [
        ...providers,
        aMachinePool().withReplicas(2).withStatus({ replicas: 2, availableReplicas: 1, versions }),
        aMachineDeployment().withReplicas(3).withStatus({ replicas: 1, upToDateReplicas: 1, versions }),
        aMachineSet().named('ours').ownedBy(owner).withReplicas(1).withStatus({ replicas: 1, readyReplicas: 1 }),
        aMachineSet().named('theirs').withReplicas(9).withStatus({ replicas: 9 }),
        up.named('w1').withStatus({ nodeInfo: { kubeletVersion: 'v1.35.0' } }),
        up.named('w2').withVersion('v1.33.1'),
        aMachine().named('w3').ownedBy(owner),
        aMachine().named('not-owned').withVersion('v1.0.0'),
        up.named('of-pool').labelled({ 'cluster.x-k8s.io/pool-name': 'mp1' }),
      ],
    });
    expect(reconciled.status['workers']).toEqual({
      desiredReplicas: 9,
      replicas: 7,
      readyReplicas: 3,
      availableReplicas: 3,
      upToDateReplicas: 3,
      versions: [
        { version: 'v1.33.1', replicas: 1 },
        { version: 'v1.34.0', replicas: 2 },
        { version: 'v1.35.0', replicas: 1 },
      ],
    });
  });

  it.each([
    { first: { name: 'z', version: 'v1.35.0+z' }, second: { name: 'a', version: 'v1.35.0+a' }, sameAge: false },
    { first: { name: 'a', version: 'v1.35.0+z' }, second: { name: 'z', version: 'v1.35.0+a' }, sameAge: true },
  ])(
    'counts versions without an order as they came: $first.name before $second.name',
    async ({ first, second, sameAge }) => {
      const older = aMachine().named(first.name).withVersion(first.version).ownedBy(owner);
      const younger = aMachine().named(second.name).withVersion(second.version).ownedBy(owner);
      const reconciled = await reconcileOnce(both(), {
        objects: [...providers, sameAge ? younger : younger.createdAt(now), older],
      });
      expect(reconciled.status['workers']).toMatchObject({
        versions: [{ version: first.version }, { version: second.version }],
      });
    },
  );
});

describe('a Cluster without control plane object', () => {
  const m1 = aMachine().named('m1').controlPlane().withNode('n1').withCondition('Ready');

  it('is provisioned without references, with an endpoint of the user', async () => {
    const reconciled = await reconcileOnce(aSettledCluster().withEndpoint('h'));
    expect(reconciled.result).toBe('requeueAfter 30000');
    expect(reconciled.status['phase']).toBe('Provisioned');
    expect(reconciled.condition('ControlPlaneAvailable')).toBe(`Unknown/InternalError ${logs}`);
    expect(reconciled.v1beta1('ControlPlaneInitialized')).toBe(
      'False/Info/MissingNodeRef Waiting for the first control plane machine to have its status.nodeRef set',
    );
    expect(reconciled.condition('ControlPlaneInitialized')).toBe(
      'False/NotInitialized Waiting for the first control plane machine to have status.nodeRef set',
    );
    expect(reconciled.writes).toEqual([]);
  });

  it('is Pending without references and endpoint', async () => {
    const reconciled = await reconcileOnce(aSettledCluster());
    expect(reconciled.status['phase']).toBe('Pending');
    expect(reconciled.events).toEqual(['Normal Pending Cluster c1 is Pending']);
    expect([reconciled.result, reconciled.writes]).toEqual(['done', []]);
    expect(reconciled.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
  });

  it('its first Machine with a Node initializes it', async () => {
    const reconciled = await reconcileOnce(standAlone(), { objects: [infraOk(), m1] });
    // Upstream waits 30 s for the authority. Here the gaps are short after the first control plane Machine.
    expect(reconciled.result).toBe('requeueAfter 5000');
    expect(reconciled.condition('ControlPlaneInitialized')).toBe('True/Initialized');
    expect(reconciled.v1beta1('ControlPlaneInitialized')).toBe('True');
    expect(reconciled.status['initialization']).toEqual({ infrastructureProvisioned: true });
    expect(reconciled.status['controlPlane']).toEqual({ desiredReplicas: 1, replicas: 1, readyReplicas: 1 });
    expect(reconciled.condition('ControlPlaneMachinesUpToDate')).toBe(
      'Unknown/UpToDateUnknown * Machine m1: Condition UpToDate not yet reported',
    );
    expect(reconciled.condition('ControlPlaneMachinesReady')).toBe('True/Ready');
    expect(reconciled.writes).toEqual([endpointWrite]);
  });

  it('a Machine that is being deleted counts for the current condition only', async () => {
    const reconciled = await reconcileOnce(standAlone(), { objects: [infraOk(), m1.deleting()] });
    expect(reconciled.condition('ControlPlaneInitialized')).toBe('True/Initialized');
    expect(reconciled.v1beta1('ControlPlaneInitialized')).toContain('False/Info/MissingNodeRef');
    expect([reconciled.result, reconciled.writes]).toEqual(['requeueAfter 5000', [endpointWrite]]);
  });

  it('stays initialized, at the generation at which it was initialized', async () => {
    const cluster = standAlone()
      .withCondition('ControlPlaneInitialized', { reason: 'Initialized', observedGeneration: 2 })
      .withV1Beta1Condition('ControlPlaneInitialized');
    const reconciled = await reconcileOnce(cluster, { objects: [infraOk()] });
    expect(reconciled.condition('ControlPlaneInitialized')).toBe('True/Initialized');
    expect(reconciled.generationOf('ControlPlaneInitialized')).toBe(2);
    expect(reconciled.v1beta1('ControlPlaneInitialized')).toBe('True');
  });

  it('stays initialized with a control plane object too', async () => {
    const cluster = both().withV1Beta1Condition('ControlPlaneInitialized');
    const reconciled = await reconcileOnce(cluster, {
      objects: [infraOk(), controlPlaneOk().withStatus({ initialization: {} })],
    });
    expect(reconciled.v1beta1('ControlPlaneInitialized')).toBe('True');
  });

  it('is unknown when its Machines cannot be listed', async () => {
    const reconciled = await reconcileOnce(standAlone(), {
      objects: [infraOk()],
      readFaults: [{ at: 'list Machine ns', message: 'boom' }],
    });
    expect(reconciled.result).toBe('[failed to list Machines for cluster ns/c1: boom, failed to list machines: boom]');
    expect(reconciled.condition('ControlPlaneInitialized')).toBe(`Unknown/InternalError ${logs}`);
    expect(reconciled.v1beta1('ControlPlaneInitialized')).toBeUndefined();
  });

  it('counts the versions of its Machines', async () => {
    const reconciled = await reconcileOnce(standAlone(), {
      objects: [infraOk(), m1.withVersion('v1.35.0'), m1.named('m2').withVersion('v1.35.0')],
    });
    expect(reconciled.status['controlPlane']).toMatchObject({ versions: [{ version: 'v1.35.0', replicas: 2 }] });
  });
});

describe('the phase', () => {
  it.each([
    { stored: 'Failed', phase: 'Failed', events: [], reason: 'an old Failed stays while no other phase applies' },
    { stored: 'Odd', phase: 'Odd', events: [], reason: 'an unknown phase stays' },
    { stored: 'Pending', phase: 'Pending', events: [], reason: 'Pending stays' },
  ])('of a Cluster without references: $reason', async ({ stored, phase, events }) => {
    const reconciled = await reconcileOnce(aSettledCluster().inPhase(stored));
    expect(reconciled.status['phase']).toBe(phase);
    expect(reconciled.events).toEqual(events);
  });
});
