import { describe, expect, it } from 'vitest';
import type { Annotations } from '../../../../../shared/runtime-hooks/rules/annotations.ts';
import {
  type ControlPlaneFacts,
  decideControlPlane,
} from '../../../../../shared/topology/upgrade/control-plane-version.ts';
import { toBookkeeping } from '../../../../../shared/topology/upgrade/hook-book.ts';
import { aBook, marked, pendingHooks, play, upgradeStep } from '../../../../support/topology-upgrade.ts';

const stable = { version: 'v1.30.0', isProvisioning: false, isUpgrading: false };

/** A stable control plane that shall go from v1.30.0 to v1.32.0, workers only at the end. */
function someFacts(change: Partial<ControlPlaneFacts> = {}): ControlPlaneFacts {
  return {
    topologyVersion: 'v1.32.0',
    current: stable,
    plans: {
      controlPlane: ['v1.31.0', 'v1.32.0'],
      machineDeployments: ['v1.32.0'],
      machinePools: [],
    },
    minWorkersVersion: 'v1.30.0',
    areWorkersUpgrading: false,
    runtimeSdk: true,
    ...change,
  };
}

interface Given {
  readonly facts?: Partial<ControlPlaneFacts>;
  readonly annotations?: Annotations;
  readonly blocking?: readonly string[];
}

function decide({ facts = {}, annotations = {}, blocking = [] }: Given) {
  const played = play(decideControlPlane(someFacts(facts), aBook(annotations)), blocking);
  const { result } = played;
  if (!result.ok) {
    return { error: result.error, asked: played.asked };
  }
  const { progress, book } = result.value;
  const { version, upgradePlan: _, ...flags } = progress;
  return {
    version,
    flags: Object.entries(flags)
      .filter(([, isSet]) => isSet)
      .map(([flag]) => flag),
    asked: played.asked,
    change: toBookkeeping(book, 'whole'),
  };
}

const settled = { topologyVersion: 'v1.30.0', plans: { controlPlane: [], machineDeployments: [], machinePools: [] } };

describe('the version of the control plane', () => {
  it.each<Given & { readonly reason: string; readonly outcome: object }>([
    {
      reason: '1 there is no control plane yet',
      facts: { current: undefined },
      outcome: { version: 'v1.32.0', flags: [], asked: [], change: {} },
    },
    {
      reason: '3 it is being provisioned',
      facts: { current: { ...stable, isProvisioning: true } },
      annotations: marked('AfterControlPlaneUpgrade'),
      outcome: { version: 'v1.30.0', flags: ['isProvisioning', 'isPendingUpgrade'], asked: [], change: {} },
    },
    {
      reason: '3 it is being provisioned at the version of the topology',
      facts: { ...settled, current: { ...stable, isProvisioning: true } },
      outcome: { version: 'v1.30.0', flags: ['isProvisioning'], asked: [], change: {} },
    },
    {
      reason: '4 it is upgrading',
      facts: { current: { ...stable, isUpgrading: true } },
      annotations: marked('AfterControlPlaneUpgrade'),
      outcome: { version: 'v1.30.0', flags: ['isUpgrading', 'isPendingUpgrade'], asked: [], change: {} },
    },
    {
      reason: '5 AfterControlPlaneUpgrade blocks',
      annotations: marked('AfterClusterUpgrade', 'AfterControlPlaneUpgrade', 'BeforeWorkersUpgrade'),
      blocking: ['AfterControlPlaneUpgrade'],
      outcome: { version: 'v1.30.0', flags: ['isPendingUpgrade'], asked: ['AfterControlPlaneUpgrade'], change: {} },
    },
    {
      reason: '6 BeforeWorkersUpgrade blocks',
      annotations: marked('AfterClusterUpgrade', 'AfterControlPlaneUpgrade', 'BeforeWorkersUpgrade'),
      blocking: ['BeforeWorkersUpgrade'],
      outcome: {
        version: 'v1.30.0',
        flags: ['isPendingUpgrade'],
        asked: ['AfterControlPlaneUpgrade', 'BeforeWorkersUpgrade'],
        change: { [pendingHooks]: 'AfterClusterUpgrade,BeforeWorkersUpgrade' },
      },
    },
    {
      reason: '7 MachineDeployments have to come to its version first',
      facts: { plans: { controlPlane: ['v1.31.0'], machineDeployments: ['v1.30.0', 'v1.31.0'], machinePools: [] } },
      annotations: marked('AfterClusterUpgrade', 'BeforeWorkersUpgrade', 'AfterWorkersUpgrade'),
      outcome: {
        version: 'v1.30.0',
        flags: ['isWaitingForWorkersUpgrade', 'isPendingUpgrade'],
        asked: ['BeforeWorkersUpgrade'],
        change: { [pendingHooks]: 'AfterClusterUpgrade,AfterWorkersUpgrade' },
      },
    },
    {
      reason: '7 MachinePools have to come to its version first, at the end of the upgrade',
      facts: {
        topologyVersion: 'v1.30.0',
        plans: { controlPlane: [], machineDeployments: [], machinePools: ['v1.30.0'] },
      },
      outcome: { version: 'v1.30.0', flags: ['isWaitingForWorkersUpgrade'], asked: [], change: {} },
    },
    {
      reason: '8 57 workers are still upgrading',
      facts: { areWorkersUpgrading: true },
      annotations: marked('AfterClusterUpgrade', 'AfterWorkersUpgrade'),
      outcome: { version: 'v1.30.0', flags: ['isPendingUpgrade'], asked: [], change: {} },
    },
    {
      reason: '9 AfterWorkersUpgrade blocks',
      annotations: marked('AfterClusterUpgrade', 'AfterWorkersUpgrade'),
      blocking: ['AfterWorkersUpgrade'],
      outcome: { version: 'v1.30.0', flags: ['isPendingUpgrade'], asked: ['AfterWorkersUpgrade'], change: {} },
    },
    {
      reason: '10 it is there',
      facts: settled,
      outcome: { version: 'v1.30.0', flags: [], asked: [], change: {} },
    },
    {
      reason: '10 it is there, and so are the workers',
      facts: settled,
      annotations: marked('AfterClusterUpgrade', 'AfterWorkersUpgrade'),
      outcome: {
        version: 'v1.30.0',
        flags: [],
        asked: ['AfterWorkersUpgrade'],
        change: { [pendingHooks]: 'AfterClusterUpgrade' },
      },
    },
    {
      reason: '11 BeforeClusterUpgrade blocks',
      blocking: ['BeforeClusterUpgrade'],
      outcome: { version: 'v1.30.0', flags: ['isPendingUpgrade'], asked: ['BeforeClusterUpgrade'], change: {} },
    },
    {
      reason: '11 63 an annotation holds it up, and no extension is asked',
      annotations: { 'before-upgrade.hook.cluster.cluster.x-k8s.io/test': '' },
      outcome: { version: 'v1.30.0', flags: ['isPendingUpgrade'], asked: [], change: {} },
    },
    {
      reason: '11 an annotation comes too late for an upgrade that has begun',
      annotations: { ...marked('AfterClusterUpgrade'), 'before-upgrade.hook.cluster.cluster.x-k8s.io/test': '' },
      outcome: {
        version: 'v1.31.0',
        flags: ['isStartingUpgrade'],
        asked: ['BeforeControlPlaneUpgrade'],
        change: { [pendingHooks]: 'AfterClusterUpgrade,AfterControlPlaneUpgrade', [upgradeStep]: 'v1.31.0' },
      },
    },
    {
      reason: '12 nobody planned anything',
      facts: { plans: settled.plans },
      outcome: {
        error:
          'cannot compute the control plane version if the control plane is pending upgrade and the upgrade plan is not set',
        asked: ['BeforeClusterUpgrade'],
      },
    },
    {
      reason: '13 BeforeControlPlaneUpgrade blocks: the upgrade has begun, the step has not',
      blocking: ['BeforeControlPlaneUpgrade'],
      outcome: {
        version: 'v1.30.0',
        flags: ['isPendingUpgrade'],
        asked: ['BeforeClusterUpgrade', 'BeforeControlPlaneUpgrade'],
        change: { [pendingHooks]: 'AfterClusterUpgrade' },
      },
    },
    {
      reason: '14 a step at which workers do not stop',
      outcome: {
        version: 'v1.31.0',
        flags: ['isStartingUpgrade'],
        asked: ['BeforeClusterUpgrade', 'BeforeControlPlaneUpgrade'],
        change: { [pendingHooks]: 'AfterClusterUpgrade,AfterControlPlaneUpgrade', [upgradeStep]: 'v1.31.0' },
      },
    },
    {
      reason: '14 a step at which workers stop',
      facts: { plans: { controlPlane: ['v1.31.0', 'v1.32.0'], machineDeployments: [], machinePools: ['v1.31.0'] } },
      outcome: {
        version: 'v1.31.0',
        flags: ['isStartingUpgrade'],
        asked: ['BeforeClusterUpgrade', 'BeforeControlPlaneUpgrade'],
        change: {
          [pendingHooks]: 'AfterClusterUpgrade,AfterControlPlaneUpgrade,AfterWorkersUpgrade,BeforeWorkersUpgrade',
          [upgradeStep]: 'v1.31.0',
        },
      },
    },
    {
      reason: '14 the next step begins in the pass in which the one before ended',
      facts: { current: { ...stable, version: 'v1.31.0' }, plans: { ...someFacts().plans, controlPlane: ['v1.32.0'] } },
      annotations: { ...marked('AfterClusterUpgrade', 'AfterControlPlaneUpgrade'), [upgradeStep]: 'v1.31.0' },
      outcome: {
        version: 'v1.32.0',
        flags: ['isStartingUpgrade'],
        asked: ['AfterControlPlaneUpgrade', 'BeforeControlPlaneUpgrade'],
        change: {
          [pendingHooks]: 'AfterClusterUpgrade,AfterControlPlaneUpgrade,AfterWorkersUpgrade,BeforeWorkersUpgrade',
          [upgradeStep]: 'v1.32.0',
        },
      },
    },
    {
      reason: '14 without hooks nothing is asked and nothing is marked',
      facts: { runtimeSdk: false },
      annotations: { 'before-upgrade.hook.cluster.cluster.x-k8s.io/test': '' },
      outcome: { version: 'v1.31.0', flags: ['isStartingUpgrade'], asked: [], change: {} },
    },
    {
      reason: '9 without hooks no mark holds anything up',
      facts: { runtimeSdk: false },
      annotations: marked('AfterControlPlaneUpgrade', 'BeforeWorkersUpgrade', 'AfterWorkersUpgrade'),
      outcome: { version: 'v1.31.0', flags: ['isStartingUpgrade'], asked: [], change: {} },
    },
  ])('$reason', ({ outcome, ...given }) => {
    expect(decide(given)).toEqual(outcome);
  });
});

describe('what hooks are told', () => {
  const steps = {
    controlPlaneUpgrades: [{ version: 'v1.31.0' }, { version: 'v1.32.0' }],
    workersUpgrades: [{ version: 'v1.32.0' }],
  };

  function requests({ facts = {}, annotations = {} }: Given) {
    const { questions } = play(decideControlPlane(someFacts(facts), aBook(annotations)));
    return questions.map(({ hook, request }) => ({ hook: hook.name, ...request }));
  }

  it('is where the whole upgrade leads, and where its first step does', () => {
    expect(requests({})).toEqual([
      {
        hook: 'BeforeClusterUpgrade',
        fromKubernetesVersion: 'v1.30.0',
        toKubernetesVersion: 'v1.32.0',
        ...steps,
      },
      {
        hook: 'BeforeControlPlaneUpgrade',
        fromKubernetesVersion: 'v1.30.0',
        toKubernetesVersion: 'v1.31.0',
        ...steps,
      },
    ]);
  });

  it('is what the control plane has, and from where workers follow it', () => {
    const plans = { controlPlane: ['v1.31.0'], machineDeployments: [], machinePools: ['v1.30.0', 'v1.31.0'] };
    const remaining = {
      controlPlaneUpgrades: [{ version: 'v1.31.0' }],
      workersUpgrades: [{ version: 'v1.30.0' }, { version: 'v1.31.0' }],
    };
    const annotations = marked('AfterControlPlaneUpgrade', 'BeforeWorkersUpgrade', 'AfterWorkersUpgrade');
    expect(requests({ facts: { plans, minWorkersVersion: 'v1.28.0' }, annotations })).toEqual([
      { hook: 'AfterControlPlaneUpgrade', kubernetesVersion: 'v1.30.0', ...remaining },
      {
        hook: 'BeforeWorkersUpgrade',
        fromKubernetesVersion: 'v1.28.0',
        toKubernetesVersion: 'v1.30.0',
        ...remaining,
      },
    ]);
  });
});

describe('a pass that ended between the marks of a step and the write of the control plane', () => {
  const marks = {
    ...marked('AfterClusterUpgrade', 'AfterControlPlaneUpgrade', 'BeforeWorkersUpgrade', 'AfterWorkersUpgrade'),
    [upgradeStep]: 'v1.31.0',
  };
  const plans = { controlPlane: ['v1.31.0', 'v1.32.0'], machineDeployments: ['v1.31.0'], machinePools: [] };

  it('is followed by one that starts the step anew, and calls nothing that comes after it', () => {
    expect(decide({ facts: { plans }, annotations: marks })).toEqual({
      version: 'v1.31.0',
      flags: ['isStartingUpgrade'],
      asked: ['BeforeControlPlaneUpgrade'],
      change: {},
    });
  });

  it('leaves no such marks when the step cannot be started now', () => {
    expect(decide({ facts: { plans }, annotations: marks, blocking: ['BeforeControlPlaneUpgrade'] })).toEqual({
      version: 'v1.30.0',
      flags: ['isPendingUpgrade'],
      asked: ['BeforeControlPlaneUpgrade'],
      change: { [pendingHooks]: 'AfterClusterUpgrade' },
    });
  });

  it('is told apart by build metadata, too', () => {
    const current = { ...stable, version: 'v1.30.0+a' };
    const annotations = { ...marks, [upgradeStep]: 'v1.30.0+b' };
    expect(decide({ facts: { current, plans }, annotations }).asked).toEqual(['BeforeControlPlaneUpgrade']);
  });

  it.each([
    { reason: 'the step was never told', annotations: { ...marks, [upgradeStep]: '' } },
    { reason: 'it tells of the step before', annotations: { ...marks, [upgradeStep]: 'v1.29.0' } },
    { reason: 'it tells of this step', annotations: { ...marks, [upgradeStep]: 'v1.30.0' } },
  ])('is not what happened when $reason', ({ annotations }) => {
    expect(decide({ facts: { plans }, annotations }).asked).toContain('AfterControlPlaneUpgrade');
  });

  it('cannot be told of a control plane whose version is none', () => {
    const current = { ...stable, version: 'old' };
    expect(decide({ facts: { current, plans }, annotations: marks }).asked).toContain('AfterControlPlaneUpgrade');
  });
});
