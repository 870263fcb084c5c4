// Whether the API server would refuse an eviction now.
import { describe, expect, it } from 'vitest';
import { refusalsOf } from '../../../../../functions/machine/preview/budgets.ts';
import { readPod } from '../../../../../shared/api/pod/reader.ts';
import { readPodDisruptionBudget } from '../../../../../shared/api/pod-disruption-budget/reader.ts';

interface GivenPod {
  readonly phase?: string;
  readonly isReady?: boolean;
  readonly isDeleted?: true;
  readonly labels?: Readonly<Record<string, string>>;
}

function aPod({ phase = 'Running', isReady = true, isDeleted, labels = { app: 'web' } }: GivenPod) {
  return readPod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web-1',
      namespace: 'app',
      uid: 'u',
      resourceVersion: '1',
      labels,
      ...(isDeleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    status: { phase, conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
  });
}

const healthy = { disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2, observedGeneration: 1 };
const selector = { matchLabels: { app: 'web' } };

function aBudget(name: string, spec: object = { selector }, status: object = healthy, namespace = 'app') {
  const metadata = { name, namespace, uid: name, resourceVersion: '1', generation: 1 };
  return readPodDisruptionBudget({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec, status });
}

const blocking = 'PodDisruptionBudget app/web, which allows no disruption (2 healthy, 2 required)';

describe('the eviction of a Pod', () => {
  it.each<{ reason: string; pod?: GivenPod; budgets: ReturnType<typeof aBudget>[]; refusals: readonly string[] }>([
    { reason: 'without budget', budgets: [], refusals: [] },
    { reason: 'with a budget that allows none', budgets: [aBudget('web')], refusals: [blocking] },
    {
      reason: 'with a budget that allows one',
      budgets: [aBudget('web', { selector }, { ...healthy, disruptionsAllowed: 1 })],
      refusals: [],
    },
    {
      reason: 'with a budget for other Pods',
      budgets: [aBudget('web', { selector: { matchLabels: { app: 'x' } } })],
      refusals: [],
    },
    { reason: 'with a budget for all Pods', budgets: [aBudget('web', { selector: {} })], refusals: [blocking] },
    { reason: 'with a budget without selector', budgets: [aBudget('web', {})], refusals: [] },
    {
      reason: 'with a budget whose selector is not valid',
      budgets: [aBudget('web', { selector: { matchExpressions: [{ key: 'a', operator: 'Foo' }] } })],
      refusals: [],
    },
    {
      reason: 'with a budget in another namespace',
      budgets: [aBudget('web', { selector }, healthy, 'other')],
      refusals: [],
    },
    {
      reason: 'with a new budget',
      budgets: [aBudget('web', { selector }, {})],
      refusals: ['PodDisruptionBudget app/web, which its controller has not processed yet'],
    },
    {
      reason: 'with two budgets',
      budgets: [aBudget('web'), aBudget('all', { selector: {} })],
      refusals: [
        'more than one PodDisruptionBudget selects it (app/web, app/all): the API server refuses every eviction',
      ],
    },
    { reason: 'that waits for its Node', pod: { phase: 'Pending' }, budgets: [aBudget('web')], refusals: [] },
    { reason: 'that succeeded', pod: { phase: 'Succeeded' }, budgets: [aBudget('web')], refusals: [] },
    { reason: 'that failed', pod: { phase: 'Failed' }, budgets: [aBudget('web')], refusals: [] },
    { reason: 'that is being deleted', pod: { isDeleted: true }, budgets: [aBudget('web')], refusals: [] },
    {
      reason: 'that is not ready, while enough others are',
      pod: { isReady: false },
      budgets: [aBudget('web')],
      refusals: [],
    },
    {
      reason: 'that is not ready, and the budget requires none',
      pod: { isReady: false },
      budgets: [aBudget('web', { selector }, { ...healthy, currentHealthy: 0, desiredHealthy: 0 })],
      refusals: ['PodDisruptionBudget app/web, which allows no disruption (0 healthy, 0 required)'],
    },
    {
      reason: 'that is not ready, while too few are',
      pod: { isReady: false },
      budgets: [aBudget('web', { selector }, { ...healthy, currentHealthy: 1 })],
      refusals: ['PodDisruptionBudget app/web, which allows no disruption (1 healthy, 2 required)'],
    },
    {
      reason: 'that is not ready, and may always be evicted then',
      pod: { isReady: false },
      budgets: [
        aBudget('web', { selector, unhealthyPodEvictionPolicy: 'AlwaysAllow' }, { ...healthy, currentHealthy: 1 }),
      ],
      refusals: [],
    },
  ])('$reason', ({ pod = {}, budgets, refusals }) => {
    expect(refusalsOf(aPod(pod), budgets)).toEqual(refusals);
  });
});
