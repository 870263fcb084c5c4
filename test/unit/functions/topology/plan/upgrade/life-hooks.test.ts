// The hooks that are not part of upgrade steps: when they are called, and the effect of their answers.
import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { isMarked, withAnswer } from '../../../../../../functions/topology/plan/upgrade/hook-state.ts';
import {
  approveCreation,
  approveDeletion,
  approvedDeletion,
  callAfterHooks,
  isClusterUpgraded,
  isNewTopology,
} from '../../../../../../functions/topology/plan/upgrade/life-hooks.ts';
import { type Cluster, readCluster } from '../../../../../../shared/api/cluster/reader.ts';
import { answerFrom } from '../../../../../support/answered-plan.ts';
import { settledVersions } from '../../../../../support/settled-topology.ts';
import { aSettledTopologyCluster, aTopologyCluster } from '../../../../../support/topology-objects.ts';
import { aHookState, blockingResponse, goOn, marked, play } from '../../../../../support/topology-upgrade.ts';

const initialized = { name: 'AfterControlPlaneInitialized' } as const;
const upgraded = { name: 'AfterClusterUpgrade' } as const;
const fresh = readCluster(aTopologyCluster().build());
const settled = readCluster(aSettledTopologyCluster().build());
const ref = { apiGroup: 'g', kind: 'K', name: 'n' };

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
    expect(play(approveCreation(settled, aHookState()))).toMatchObject({
      result: valid({ waitMs: undefined }),
      asked: [],
    });
    const called = (blocking: readonly string[] = []) => play(approveCreation(fresh, aHookState()), blocking);
    expect(called()).toMatchObject({ result: valid({ waitMs: undefined }), asked: ['BeforeClusterCreate'] });
    expect(called(['BeforeClusterCreate'])).toMatchObject({ result: valid({ waitMs: 5000 }) });
    expect(called(['BeforeClusterDelete'])).toMatchObject({ result: valid({ waitMs: undefined }) });
  });
});

describe('the deletion', () => {
  const okToDelete = 'runtime.cluster.x-k8s.io/ok-to-delete';
  const approval = (cluster: Cluster, blocking: readonly string[] = []) => {
    const { result, asked } = play(approveDeletion(cluster), blocking);
    return { ...(result.ok ? result.value : approvedDeletion), asked };
  };

  it('needs the hook until it is approved', () => {
    expect(approval(settled).asked).toEqual(['BeforeClusterDelete']);
    const approved = aSettledTopologyCluster().annotated({ [okToDelete]: '' });
    expect(approval(readCluster(approved.build()))).toEqual({
      ...{ change: {}, responses: new Map(), waitMs: undefined },
      asked: [],
    });
  });

  it('is approved by an annotation when the hook does not block', () => {
    const approved = approval(settled);
    expect(approved).toMatchObject({ responses: new Map([['BeforeClusterDelete', goOn]]), waitMs: undefined });
    expect(Object.keys(approved.change)).toEqual([okToDelete]);
    const held = approval(settled, ['BeforeClusterDelete']);
    expect(held.waitMs).toBe(5000);
    expect(Object.keys(held.change)).not.toContain(okToDelete);
  });
});

interface Given {
  readonly cluster?: Cluster;
  readonly hooks?: readonly string[];
  readonly blocking?: readonly string[];
  readonly notified?: Checked<unknown>;
}

/** The upgrade of this Cluster is over. */
function callAfter({ cluster = settled, hooks = [], blocking = [], notified = valid({}) }: Given = {}) {
  const input = {
    cluster,
    versions: settledVersions(),
    topologyVersion: 'v1.31.0',
    hookState: aHookState(marked(...hooks)),
  };
  const { result, asked } = answerFrom(callAfterHooks(input), {
    notify: () => notified,
    callHook: ({ hook, hookState }) => {
      const response = blocking.includes(hook.name) ? blockingResponse() : goOn;
      return withAnswer(hookState, hook, { response, waitMs: 4500 });
    },
  });
  const names = asked.map(each => (each.ask === 'notify' ? each.about.name : each.about.hook.name));
  return { ...result, asked: names };
}

describe('AfterControlPlaneInitialized', () => {
  it('is marked in the first pass of a topology only', () => {
    expect(isMarked(callAfter({ cluster: fresh }).hookState, initialized)).toBe(true);
    expect(isMarked(callAfter().hookState, initialized)).toBe(false);
  });

  const withStatus = (status: 'True' | 'False') =>
    readCluster(
      aSettledTopologyCluster()
        .withStatus({ conditions: [{ type: 'ControlPlaneInitialized', status, reason: 'R' }] })
        .build(),
    );

  it.each([
    { reason: 'marked and initialized', hooks: [initialized.name], status: 'True', isDue: true },
    { reason: 'not marked', hooks: [], status: 'True', isDue: false },
    { reason: 'not initialized', hooks: [initialized.name], status: 'False', isDue: false },
  ] as const)('is due when the control plane is initialized: $reason', ({ hooks, status, isDue }) => {
    expect(callAfter({ cluster: withStatus(status), hooks }).asked).toEqual(isDue ? [initialized.name] : []);
  });

  it('is no longer marked after the call', () => {
    const given = { cluster: withStatus('True'), hooks: [initialized.name] };
    expect(isMarked(callAfter(given).hookState, initialized)).toBe(false);
    const failed = callAfter({ ...given, notified: invalid('down') });
    expect(failed.failure).toBe('down');
    expect(isMarked(failed.hookState, initialized)).toBe(true);
  });
});

describe('AfterClusterUpgrade', () => {
  it('stays marked while it blocks', () => {
    const held = callAfter({ hooks: [upgraded.name], blocking: [upgraded.name] });
    expect(held).toMatchObject({ asked: [upgraded.name], failure: undefined });
    expect(isMarked(held.hookState, upgraded)).toBe(true);
    expect(isMarked(callAfter({ hooks: [upgraded.name] }).hookState, upgraded)).toBe(false);
    expect(callAfter().asked).toEqual([]);
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
