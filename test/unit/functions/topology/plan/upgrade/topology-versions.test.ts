// The version of each part of a topology: control plane and workers together.

import { invalid, valid } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  decideVersions,
  type VersionFacts,
} from '../../../../../../functions/topology/plan/upgrade/topology-versions.ts';
import { aCurrent, nothingYet, settledObjects, settledVersions } from '../../../../../support/settled-topology.ts';
import { aBlueprint, aSettledTopologyCluster, settled } from '../../../../../support/topology-objects.ts';
import { aHookState, aSpan, marked, play } from '../../../../../support/topology-upgrade.ts';

const none = { machineDeployments: new Set<string>(), machinePools: new Set<string>() };
const next = aBlueprint({ cluster: aSettledTopologyCluster({ version: 'v1.32.0' }) });
const plan = { controlPlane: ['v1.32.0'], workers: ['v1.32.0'] } as const;
const span = aSpan('v1.31.0', 'v1.31.0', 'v1.32.0');

function facts(change: Partial<VersionFacts> = {}): VersionFacts {
  return {
    ...{
      blueprint: aBlueprint(),
      current: aCurrent(),
      hookState: aHookState(),
      plan: { controlPlane: [], workers: [] },
    },
    ...{ span: undefined, upgrading: none, runtimeSdk: false },
    ...change,
  };
}

function decide(change: Partial<VersionFacts> = {}, blocking: readonly string[] = []) {
  const { result, asked, calls } = play(decideVersions(facts(change)), blocking);
  return { ...result, asked, calls };
}

describe('versions', () => {
  it('stay in a settled topology', () => {
    expect(decide().versions).toEqual(valid(settledVersions()));
    expect(decide({ runtimeSdk: true }).versions).toEqual(valid(settledVersions()));
  });

  it('are those of the topology where nothing exists', () => {
    const { versions } = decide({ current: nothingYet });
    expect(versions).toMatchObject(
      valid({ controlPlane: { version: 'v1.31.0' }, machineDeployments: { versions: new Map([['md1', 'v1.31.0']]) } }),
    );
  });

  it('of an upgrade move the control plane first, and hold the workers', () => {
    const { versions } = decide({ blueprint: next, plan, span });
    expect(versions).toMatchObject(
      valid({
        controlPlane: { version: 'v1.32.0', isStartingUpgrade: true, upgradePlan: ['v1.32.0'] },
        machineDeployments: { pendingUpgrade: new Set([settled.md1.object]), upgradePlan: ['v1.32.0'] },
        machinePools: { pendingUpgrade: new Set([settled.mp1.object]), upgradePlan: ['v1.32.0'] },
        isUpgradeInProgress: true,
      }),
    );
  });

  it.each([
    { reason: 'a MachineDeployment', upgrading: { ...none, machineDeployments: new Set([settled.md1.object]) } },
    { reason: 'a MachinePool', upgrading: { ...none, machinePools: new Set([settled.mp1.object]) } },
  ])('hold the control plane while workers are upgrading: $reason', ({ upgrading }) => {
    const { versions } = decide({ blueprint: next, plan: { ...plan, workers: [] }, span, upgrading });
    expect(versions).toMatchObject(valid({ controlPlane: { version: 'v1.31.0', isPendingUpgrade: true } }));
  });

  it('have no plan for a kind of workers that does not exist', () => {
    const current = { ...aCurrent(), machinePools: new Map() };
    expect(decide({ blueprint: next, current, plan, span }).versions).toMatchObject(
      valid({ machineDeployments: { upgradePlan: ['v1.32.0'] }, machinePools: { upgradePlan: [] } }),
    );
    const withoutDeployments = { ...aCurrent(), machineDeployments: new Map() };
    expect(decide({ blueprint: next, current: withoutDeployments, plan, span }).versions).toMatchObject(
      valid({ machineDeployments: { upgradePlan: [] }, machinePools: { upgradePlan: ['v1.32.0'] } }),
    );
  });
});

describe('an upgrade with extensions', () => {
  it('is in progress as long as AfterClusterUpgrade is marked, and keeps the answers', () => {
    const { versions, asked, hookState } = decide({ blueprint: next, plan, span, runtimeSdk: true });
    expect(asked).toEqual(['BeforeClusterUpgrade', 'BeforeControlPlaneUpgrade']);
    expect(versions).toMatchObject(valid({ isUpgradeInProgress: true }));
    expect([...hookState.responses.keys()]).toEqual(asked);
    const held = decide({ blueprint: next, plan, span, runtimeSdk: true }, ['BeforeClusterUpgrade']);
    expect(held.versions).toMatchObject(valid({ isUpgradeInProgress: false, controlPlane: { version: 'v1.31.0' } }));
  });

  it('returns the lowest version of the workers, and none without workers', () => {
    const hookState = aHookState(marked('BeforeWorkersUpgrade', 'AfterClusterUpgrade'));
    const lower = aSpan('v1.31.0', 'v1.30.0', 'v1.31.0');
    const asked = (of: VersionFacts['span']) =>
      decide({ hookState, span: of, runtimeSdk: true }).calls.map(({ request }) => request);
    expect(asked(lower)[0]).toMatchObject({ fromKubernetesVersion: 'v1.30.0' });
    expect(asked(aSpan('v1.31.0', '', 'v1.31.0'))[0]).toMatchObject({ fromKubernetesVersion: '' });
    expect(asked(undefined)[0]).toMatchObject({ fromKubernetesVersion: '' });
  });
});

describe('a failure', () => {
  it('of the control plane keeps the book', () => {
    const controlPlane = { ...settledObjects().controlPlane.build(), spec: {} };
    const hookState = aHookState(marked('AfterClusterUpgrade'));
    expect(decide({ current: aCurrent({ controlPlane }), hookState })).toMatchObject({
      hookState,
      versions: invalid(expect.stringMatching(/^failed to compute ControlPlane: failed to get the version/)),
    });
    const without = decide({ blueprint: next, hookState, plan: { controlPlane: [], workers: [] }, span });
    expect(without).toMatchObject({
      hookState,
      versions: invalid(expect.stringMatching(/^failed to compute ControlPlane: cannot compute the control plane/)),
    });
  });

  it('of workers is worded by their kind', () => {
    const md1 = settledObjects('v1.30.0').md1;
    const mp1 = settledObjects('v1.30.0').mp1;
    const noPlan = { controlPlane: [], workers: [] };
    expect(decide({ current: aCurrent({ md1 }), plan: noPlan }).versions).toEqual(
      invalid(expect.stringMatching(/^failed to compute MachineDeployments: /)),
    );
    expect(decide({ current: aCurrent({ mp1 }), plan: noPlan }).versions).toEqual(
      invalid(expect.stringMatching(/^failed to compute MachinePools: /)),
    );
  });
});
