import { describe, expect, it } from 'vitest';
import {
  type ControlPlaneFacts,
  decideControlPlane,
} from '../../../../../../functions/topology/plan/upgrade/control-plane-version.ts';
import { toBookkeeping } from '../../../../../../functions/topology/plan/upgrade/hook-state.ts';
import type { Annotations } from '../../../../../../shared/runtime-hooks/rules/annotations.ts';
import { aHookState, marked, pendingHooks, play, upgradeStep } from '../../../../../support/topology-upgrade.ts';

const stable = { version: 'v1.30.0', isProvisioning: false, isUpgrading: false };

/** A stable control plane that upgrades from v1.30.0 to v1.32.0. Workers are upgraded only at the end. */
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
  const played = play(decideControlPlane(someFacts(facts), aHookState(annotations)), blocking);
  const { result } = played;
  if (!result.ok) {
    return { error: result.error, asked: played.asked };
  }
  const { progress, hookState } = result.value;
  const { version, upgradePlan: _, ...flags } = progress;
  return {
    version,
    flags: Object.entries(flags)
      .filter(([, isSet]) => isSet)
      .map(([flag]) => flag),
    asked: played.asked,
    change: toBookkeeping(hookState, 'whole'),
  };
}

const settled = { topologyVersion: 'v1.30.0', plans: { controlPlane: [], machineDeployments: [], machinePools: [] } };

describe('the version of the control plane', () => {
  it.each<Given & { readonly reason: string; readonly outcome: object }>([
    {
      reason: 'there is no control plane yet',
      facts: { current: undefined },
      outcome: { version: 'v1.32.0', flags: [], asked: [], change: {} },
    },
    {
      reason: 'it is being provisioned',
      facts: { current: { ...stable, isProvisioning: true } },
      annotations: marked('AfterControlPlaneUpgrade'),
      outcome: { version: 'v1.30.0', flags: ['isProvisioning', 'isPendingUpgrade'], asked: [], change: {} },
    },
    {
      reason: 'it is being provisioned at the version of the topology',
      facts: { ...settled, current: { ...stable, isProvisioning: true } },
      outcome: { version: 'v1.30.0', flags: ['isProvisioning'], asked: [], change: {} },
    },
    {
      reason: 'it is upgrading',
      facts: { current: { ...stable, isUpgrading: true } },
      annotations: marked('AfterControlPlaneUpgrade'),
      outcome: { version: 'v1.30.0', flags: ['isUpgrading', 'isPendingUpgrade'], asked: [], change: {} },
    },
    {
      reason: 'AfterControlPlaneUpgrade blocks',
      annotations: marked('AfterClusterUpgrade', 'AfterControlPlaneUpgrade', 'BeforeWorkersUpgrade'),
      blocking: ['AfterControlPlaneUpgrade'],
      outcome: { version: 'v1.30.0', flags: ['isPendingUpgrade'], asked: ['AfterControlPlaneUpgrade'], change: {} },
    },
    {
      reason: 'BeforeWorkersUpgrade blocks',
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
      reason: 'MachineDeployments must reach its version first',
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
      reason: 'MachinePools must reach its version first, at the end of the upgrade',
      facts: {
        topologyVersion: 'v1.30.0',
        plans: { controlPlane: [], machineDeployments: [], machinePools: ['v1.30.0'] },
      },
      outcome: { version: 'v1.30.0', flags: ['isWaitingForWorkersUpgrade'], asked: [], change: {} },
    },
    {
      reason: 'workers are still upgrading',
      facts: { areWorkersUpgrading: true },
      annotations: marked('AfterClusterUpgrade', 'AfterWorkersUpgrade'),
      outcome: { version: 'v1.30.0', flags: ['isPendingUpgrade'], asked: [], change: {} },
    },
    {
      reason: 'AfterWorkersUpgrade blocks',
      annotations: marked('AfterClusterUpgrade', 'AfterWorkersUpgrade'),
      blocking: ['AfterWorkersUpgrade'],
      outcome: { version: 'v1.30.0', flags: ['isPendingUpgrade'], asked: ['AfterWorkersUpgrade'], change: {} },
    },
    {
      reason: 'it is there',
      facts: settled,
      outcome: { version: 'v1.30.0', flags: [], asked: [], change: {} },
    },
    {
      reason: 'it is there, and so are the workers',
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
      reason: 'BeforeClusterUpgrade blocks',
      blocking: ['BeforeClusterUpgrade'],
      outcome: { version: 'v1.30.0', flags: ['isPendingUpgrade'], asked: ['BeforeClusterUpgrade'], change: {} },
    },
    {
      reason: 'an annotation blocks it, and no extension is called',
      annotations: { 'before-upgrade.hook.cluster.cluster.x-k8s.io/test': '' },
      outcome: { version: 'v1.30.0', flags: ['isPendingUpgrade'], asked: [], change: {} },
    },
    {
      reason: 'an annotation has no effect on an upgrade that has begun',
      annotations: { ...marked('AfterClusterUpgrade'), 'before-upgrade.hook.cluster.cluster.x-k8s.io/test': '' },
      outcome: {
        version: 'v1.31.0',
        flags: ['isStartingUpgrade'],
        asked: ['BeforeControlPlaneUpgrade'],
        change: { [pendingHooks]: 'AfterClusterUpgrade,AfterControlPlaneUpgrade', [upgradeStep]: 'v1.31.0' },
      },
    },
    {
      reason: 'there is no plan',
      facts: { plans: settled.plans },
      outcome: {
        error:
          'cannot compute the control plane version if the control plane is pending upgrade and the upgrade plan is not set',
        asked: ['BeforeClusterUpgrade'],
      },
    },
    {
      reason: 'BeforeControlPlaneUpgrade blocks: the upgrade has begun, the step has not',
      blocking: ['BeforeControlPlaneUpgrade'],
      outcome: {
        version: 'v1.30.0',
        flags: ['isPendingUpgrade'],
        asked: ['BeforeClusterUpgrade', 'BeforeControlPlaneUpgrade'],
        change: { [pendingHooks]: 'AfterClusterUpgrade' },
      },
    },
    {
      reason: 'a step at which workers do not stop',
      outcome: {
        version: 'v1.31.0',
        flags: ['isStartingUpgrade'],
        asked: ['BeforeClusterUpgrade', 'BeforeControlPlaneUpgrade'],
        change: { [pendingHooks]: 'AfterClusterUpgrade,AfterControlPlaneUpgrade', [upgradeStep]: 'v1.31.0' },
      },
    },
    {
      reason: 'a step at which workers stop',
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
      reason: 'the next step begins in the pass in which the one before ended',
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
      reason: 'without hooks nothing is called and nothing is marked',
      facts: { runtimeSdk: false },
      annotations: { 'before-upgrade.hook.cluster.cluster.x-k8s.io/test': '' },
      outcome: { version: 'v1.31.0', flags: ['isStartingUpgrade'], asked: [], change: {} },
    },
    {
      reason: 'without hooks no mark holds anything up',
      facts: { runtimeSdk: false },
      annotations: marked('AfterControlPlaneUpgrade', 'BeforeWorkersUpgrade', 'AfterWorkersUpgrade'),
      outcome: { version: 'v1.31.0', flags: ['isStartingUpgrade'], asked: [], change: {} },
    },
  ])('$reason', ({ outcome, ...given }) => {
    expect(decide(given)).toEqual(outcome);
  });
});

describe('the requests of hooks', () => {
  const steps = {
    controlPlaneUpgrades: [{ version: 'v1.31.0' }, { version: 'v1.32.0' }],
    workersUpgrades: [{ version: 'v1.32.0' }],
  };

  function requests({ facts = {}, annotations = {} }: Given) {
    const { calls } = play(decideControlPlane(someFacts(facts), aHookState(annotations)));
    return calls.map(({ hook, request }) => ({ hook: hook.name, ...request }));
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

  it('is the version of the control plane, from which workers follow', () => {
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

  it('is followed by one that starts the step again, and calls none of the later hooks', () => {
    expect(decide({ facts: { plans }, annotations: marks })).toEqual({
      version: 'v1.31.0',
      flags: ['isStartingUpgrade'],
      asked: ['BeforeControlPlaneUpgrade'],
      change: {},
    });
  });

  it('sets no such marks when the step cannot be started now', () => {
    expect(decide({ facts: { plans }, annotations: marks, blocking: ['BeforeControlPlaneUpgrade'] })).toEqual({
      version: 'v1.30.0',
      flags: ['isPendingUpgrade'],
      asked: ['BeforeControlPlaneUpgrade'],
      change: { [pendingHooks]: 'AfterClusterUpgrade' },
    });
  });

  it('is distinguished by build metadata as well', () => {
    const current = { ...stable, version: 'v1.30.0+a' };
    const annotations = { ...marks, [upgradeStep]: 'v1.30.0+b' };
    expect(decide({ facts: { current, plans }, annotations }).asked).toEqual(['BeforeControlPlaneUpgrade']);
  });

  it.each([
    { reason: 'the step was never recorded', annotations: { ...marks, [upgradeStep]: '' } },
    { reason: 'it names the previous step', annotations: { ...marks, [upgradeStep]: 'v1.29.0' } },
    { reason: 'it names this step', annotations: { ...marks, [upgradeStep]: 'v1.30.0' } },
  ])('is not what happened when $reason', ({ annotations }) => {
    expect(decide({ facts: { plans }, annotations }).asked).toContain('AfterControlPlaneUpgrade');
  });

  it('fails for a control plane with an invalid version', () => {
    const current = { ...stable, version: 'old' };
    expect(decide({ facts: { current, plans }, annotations: marks }).asked).toContain('AfterControlPlaneUpgrade');
  });
});
