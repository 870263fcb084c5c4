// Rules of evictions that the conformance suite cannot reach on a real server.
import { describe, expect, it } from 'vitest';
import type { ApiCore } from '../../../../../packages/apiserver/core/api-core.ts';
import type { Stored } from '../../../../../packages/apiserver/core/object.ts';
import { workloadKinds } from '../../../../../packages/apiserver/core/workload-kinds.ts';
import { at, aWorld, endpointOf, namespace, refusalOf } from './core-with-widgets.ts';

function aPod(core: ApiCore, labels: object = {}): Stored {
  const metadata = { name: 'p', labels };
  const spec = { nodeName: 'n', containers: [{ name: 'main', image: 'i' }] };
  core.create(endpointOf(core, 'v1', 'Pod'), namespace, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  return setStatus(core, 'v1', 'Pod', { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
}

function setStatus(core: ApiCore, apiVersion: string, kind: string, status: object): Stored {
  return core.patch(at(endpointOf(core, apiVersion, kind), 'p'), { type: 'merge', body: { status } }, 'status');
}

function aBudget(core: ApiCore, status: object): void {
  const metadata = { name: 'p' };
  const spec = { selector: {} };
  const kind = 'PodDisruptionBudget';
  core.create(endpointOf(core, 'policy/v1', kind), namespace, { apiVersion: 'policy/v1', kind, metadata, spec });
  setStatus(core, 'policy/v1', kind, { observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, ...status });
}

describe('the eviction of a Pod', () => {
  const open = () => aWorld({ kinds: workloadKinds });

  it('needs no budgets', () => {
    const { core } = aWorld({ kinds: workloadKinds.filter(({ kind }) => kind !== 'PodDisruptionBudget') });
    aPod(core);
    core.evict(at(endpointOf(core, 'v1', 'Pod'), 'p'), { gracePeriodSeconds: 0 });
    expect(refusalOf(() => core.get(at(endpointOf(core, 'v1', 'Pod'), 'p'))).code).toBe(404);
  });

  it('keeps the transition time of conditions that hold already', async () => {
    const { core, clock } = open();
    const lastTransitionTime = '2020-01-01T00:00:00Z';
    aPod(core);
    setStatus(core, 'v1', 'Pod', { conditions: [{ type: 'DisruptionTarget', status: 'True', lastTransitionTime }] });
    const before = { type: 'DisruptionAllowed', status: 'False', reason: 'Other', lastTransitionTime };
    aBudget(core, { disruptionsAllowed: 1, conditions: [{ type: 'Other' }, before] });
    setStatus(core, 'v1', 'Pod', {
      conditions: [
        { type: 'DisruptionTarget', status: 'True', lastTransitionTime },
        { type: 'Ready', status: 'True' },
      ],
    });
    await clock.advance(1000);
    core.evict(at(endpointOf(core, 'v1', 'Pod'), 'p'));
    expect(core.get(at(endpointOf(core, 'v1', 'Pod'), 'p')).status).toMatchObject({
      conditions: [{ type: 'Ready' }, { reason: 'EvictionByEvictionAPI', lastTransitionTime }],
    });
    expect(core.get(at(endpointOf(core, 'policy/v1', 'PodDisruptionBudget'), 'p')).status).toMatchObject({
      disruptedPods: { p: '2026-01-01T00:00:01Z' },
      conditions: [{ type: 'Other' }, { reason: 'InsufficientPods', lastTransitionTime }],
    });
  });

  it('is refused by a budget with a negative counter, or with too many Pods', () => {
    const { core } = open();
    aPod(core);
    aBudget(core, { disruptionsAllowed: -1 });
    const evict = () => core.evict(at(endpointOf(core, 'v1', 'Pod'), 'p'));
    expect(refusalOf(evict)).toMatchObject({ code: 403, message: expect.stringContaining('is negative') });
    const disruptedPods = Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`p${index}`, 'time']));
    setStatus(core, 'policy/v1', 'PodDisruptionBudget', { disruptionsAllowed: 1, disruptedPods });
    expect(refusalOf(evict)).toMatchObject({ code: 403, message: expect.stringContaining('map too big') });
    setStatus(core, 'policy/v1', 'PodDisruptionBudget', { disruptedPods: { p2000: null } });
    evict();
    expect(core.get(at(endpointOf(core, 'v1', 'Pod'), 'p')).metadata).toHaveProperty('deletionTimestamp');
  });
});
