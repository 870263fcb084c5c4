// The hooks that are not part of upgrade steps: when they are called, and the effect of their answers.
import { describe, expect, it } from 'vitest';
import { isClusterUpgraded } from '../../../../../../functions/topology/plan/upgrade/cluster-upgraded.ts';
import { isMarked, withAnswer } from '../../../../../../functions/topology/plan/upgrade/hook-state.ts';
import {
  approvedDeletion,
  creationWaitMs,
  finishUpgradeHook,
  isDeletionHookDue,
  isInitializationHookDue,
  isNewTopology,
  markInitialization,
  toDeletionApproval,
  withoutInitialization,
} from '../../../../../../functions/topology/plan/upgrade/life-hooks.ts';
import { readCluster } from '../../../../../../shared/api/cluster/reader.ts';
import { settledVersions } from '../../../../../support/settled-topology.ts';
import { aSettledTopologyCluster, aTopologyCluster } from '../../../../../support/topology-objects.ts';
import { aHookState, blockingResponse, goOn, marked, pendingHooks } from '../../../../../support/topology-upgrade.ts';

const initialized = { name: 'AfterControlPlaneInitialized' } as const;
const upgraded = { name: 'AfterClusterUpgrade' } as const;
const fresh = readCluster(aTopologyCluster().build());
const settled = readCluster(aSettledTopologyCluster().build());
const ref = { apiGroup: 'g', kind: 'K', name: 'n' };

function answeredBy(name: string, isBlocking: boolean, annotations = {}) {
  const response = isBlocking ? blockingResponse() : goOn;
  return withAnswer(aHookState(annotations), { name }, { response, waitMs: 4500 });
}

describe('a new topology', () => {
  it.each([
    { reason: 'no reference', cluster: aTopologyCluster(), isNew: true },
    { reason: 'infrastructure', cluster: aTopologyCluster().withInfrastructureRef(ref), isNew: false },
    { reason: 'a control plane', cluster: aTopologyCluster().withControlPlaneRef(ref), isNew: false },
    { reason: 'both', cluster: aSettledTopologyCluster(), isNew: false },
  ])('names neither infrastructure nor control plane: $reason', ({ cluster, isNew }) => {
    expect(isNewTopology(readCluster(cluster.build()))).toBe(isNew);
  });

  it('waits exactly as long as BeforeClusterCreate blocks', () => {
    expect(creationWaitMs(aHookState())).toBeUndefined();
    expect(creationWaitMs(answeredBy('BeforeClusterCreate', false))).toBeUndefined();
    expect(creationWaitMs(answeredBy('BeforeClusterCreate', true))).toBe(4500);
    expect(creationWaitMs(answeredBy('BeforeClusterDelete', true))).toBeUndefined();
  });
});

describe('the deletion', () => {
  const okToDelete = 'runtime.cluster.x-k8s.io/ok-to-delete';

  it('needs the hook until it is approved', () => {
    expect(isDeletionHookDue(settled)).toBe(true);
    const approved = aSettledTopologyCluster().annotated({ [okToDelete]: '' });
    expect(isDeletionHookDue(readCluster(approved.build()))).toBe(false);
    expect(approvedDeletion).toEqual({ change: {}, responses: new Map(), waitMs: undefined });
  });

  it('is approved by an annotation when the hook does not block', () => {
    const hookState = answeredBy('BeforeClusterDelete', false);
    const approval = toDeletionApproval({}, hookState);
    expect(approval).toMatchObject({ responses: hookState.responses, waitMs: undefined });
    expect(Object.keys(approval.change)).toEqual([okToDelete]);
    const held = toDeletionApproval({}, answeredBy('BeforeClusterDelete', true));
    expect(held.waitMs).toBe(4500);
    expect(Object.keys(held.change)).not.toContain(okToDelete);
  });
});

describe('AfterControlPlaneInitialized', () => {
  it('is marked in the first pass of a topology only', () => {
    expect(isMarked(markInitialization(fresh, aHookState()), initialized)).toBe(true);
    expect(isMarked(markInitialization(settled, aHookState()), initialized)).toBe(false);
  });

  it.each([
    { reason: 'marked and initialized', hooks: [initialized.name], status: 'True', isDue: true },
    { reason: 'not marked', hooks: [], status: 'True', isDue: false },
    { reason: 'not initialized', hooks: [initialized.name], status: 'False', isDue: false },
  ] as const)('is due when the control plane is initialized: $reason', ({ hooks, status, isDue }) => {
    const conditions = [{ type: 'ControlPlaneInitialized', status, reason: 'R' }];
    const cluster = readCluster(aSettledTopologyCluster().withStatus({ conditions }).build());
    expect(isInitializationHookDue(cluster, aHookState(marked(...hooks)))).toBe(isDue);
  });

  it('is no longer marked after the call', () => {
    expect(isMarked(withoutInitialization(aHookState(marked(initialized.name))), initialized)).toBe(false);
  });
});

describe('AfterClusterUpgrade', () => {
  it('stays marked while it blocks', () => {
    const marks = { [pendingHooks]: upgraded.name };
    expect(isMarked(finishUpgradeHook(answeredBy(upgraded.name, true, marks)), upgraded)).toBe(true);
    expect(isMarked(finishUpgradeHook(answeredBy(upgraded.name, false, marks)), upgraded)).toBe(false);
  });

  const versions = settledVersions();
  const names = new Set(['x']);
  const workers = versions.machineDeployments;
  it.each([
    { reason: 'everything is at its version', of: {}, hooks: [upgraded.name], isOver: true },
    { reason: 'it is not marked', of: {}, hooks: [], isOver: false },
    {
      reason: 'AfterControlPlaneUpgrade is due',
      of: {},
      hooks: [upgraded.name, 'AfterControlPlaneUpgrade'],
      isOver: false,
    },
    { reason: 'AfterWorkersUpgrade is due', of: {}, hooks: [upgraded.name, 'AfterWorkersUpgrade'], isOver: false },
    {
      reason: 'the control plane is upgrading',
      of: { controlPlane: { ...versions.controlPlane, isUpgrading: true } },
      hooks: [upgraded.name],
      isOver: false,
    },
    ...(['upgrading', 'pendingUpgrade', 'deferredUpgrade', 'pendingCreate'] as const).flatMap(part =>
      (['machineDeployments', 'machinePools'] as const).map(list => ({
        reason: `${part} of ${list}`,
        of: { [list]: { ...workers, [part]: names } },
        hooks: [upgraded.name],
        isOver: false,
      })),
    ),
  ])('is due when the upgrade is over: $reason', ({ of, hooks, isOver }) => {
    expect(isClusterUpgraded({ ...versions, ...of }, aHookState(marked(...hooks)))).toBe(isOver);
  });
});
