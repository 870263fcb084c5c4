// Evictions of Pods, with and without budgets.
import { randomUUID } from 'node:crypto';
import type { JsonObject, Unstructured } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import type { RawAnswer } from '../../../support/raw-http.ts';
import { freshName } from '../../answers.ts';
import { type Api, core, done, expectInvalid, expectRefusal } from '../api-case.ts';
import { budgets, evict, givenBudget, givenPod, readPod } from './pods.ts';

const accepted = { status: 201, body: { kind: 'Status', apiVersion: 'v1', status: 'Success', code: 201 } };
const refusal = "Cannot evict pod as it would violate the pod's disruption budget.";

function expectRefused(answer: RawAnswer, cause: string, retryAfterSeconds?: number): void {
  const details = {
    causes: [{ reason: 'DisruptionBudget', message: cause }],
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
  expectRefusal(answer, 429, { reason: 'TooManyRequests', message: refusal, details });
  expect(answer.headers['retry-after']).toBe(retryAfterSeconds?.toString());
}

async function statusOfBudget(api: Api, name: string): Promise<JsonObject> {
  return done(await api.http.get(budgets(api, name)))['status'] as JsonObject; // True: givenBudget writes a status.
}

async function isThere(api: Api, pod: Unstructured): Promise<boolean> {
  return (await readPod(api, pod)).status === 200;
}

export function evictionCases(ask: () => Api): void {
  it('marks an evicted Pod, and begins its graceful deletion', async () => {
    const pod = await givenPod(ask());
    expect(await evict(ask(), pod)).toMatchObject(accepted);
    const evicted = done(await readPod(ask(), pod));
    expect(evicted.metadata).toMatchObject({ deletionGracePeriodSeconds: 30, deletionTimestamp: expect.any(String) });
    expect(evicted['status']).toMatchObject({
      conditions: [
        { type: 'Ready' },
        {
          type: 'DisruptionTarget',
          status: 'True',
          reason: 'EvictionByEvictionAPI',
          message: 'Eviction API: evicting',
          lastProbeTime: null,
          lastTransitionTime: expect.any(String),
        },
      ],
    });
    expect(await evict(ask(), pod)).toMatchObject(accepted);
    expect(done(await readPod(ask(), pod))).toEqual(evicted);
  });

  it('uses the grace period of the eviction', async () => {
    const [slow, immediate] = [await givenPod(ask()), await givenPod(ask())];
    expect(await evict(ask(), slow, { gracePeriodSeconds: 7 })).toMatchObject(accepted);
    expect(done(await readPod(ask(), slow)).metadata).toMatchObject({ deletionGracePeriodSeconds: 7 });
    expect(await evict(ask(), immediate, { gracePeriodSeconds: 0 })).toMatchObject(accepted);
    expect(await isThere(ask(), immediate)).toBe(false);
  });

  it('evicts only the Pod with the uid and the resourceVersion of the preconditions', async () => {
    const pod = await givenPod(ask());
    const { name, uid, resourceVersion } = pod.metadata;
    const other = randomUUID();
    const reason = 'The object might have been deleted and then recreated';
    expectRefusal(await evict(ask(), pod, { preconditions: { uid: other } }), 409, {
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on Pod "${name}": the UID in the precondition (${other}) does not match the UID in record (${uid}). ${reason}`,
      details: { name, kind: 'Pod' },
    });
    expectRefusal(await evict(ask(), pod, { preconditions: { resourceVersion: '1' } }), 409, { reason: 'Conflict' });
    expect(done(await readPod(ask(), pod))).toEqual(pod);
    expect(await evict(ask(), pod, { preconditions: { uid, resourceVersion } })).toMatchObject(accepted);
  });

  it('refuses an eviction of a Pod that does not exist, and bodies of other objects', async () => {
    const absent = { apiVersion: 'v1', kind: 'Pod', metadata: { name: freshName() } } as Unstructured;
    const { name } = absent.metadata;
    expectRefusal(await evict(ask(), absent), 404, {
      message: `pods "${name}" not found`,
      details: { name, kind: 'pods' },
    });
    const pod = await givenPod(ask());
    const path = `${core(ask(), 'pods', pod.metadata.name)}/eviction`;
    const bodies = [
      {},
      { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } },
      { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod.metadata.name, namespace: 'other' } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: pod.metadata.name } },
    ];
    for (const body of bodies) {
      expectRefusal(await ask().http.post(path, body), 400, { reason: 'BadRequest' });
    }
    expectInvalid(await evict(ask(), await givenPod(ask()), { propagationPolicy: 'Never' }), {
      reason: 'FieldValueNotSupported',
      field: 'propagationPolicy',
    });
    expect((await ask().http.get(path)).status).toBe(405);
    expect(done(await readPod(ask(), pod))).toEqual(pod);
  });

  it('names the eviction in discovery', async () => {
    const { body } = await ask().http.get('/api/v1');
    expect(body).toMatchObject({
      resources: expect.arrayContaining([
        {
          name: 'pods/eviction',
          singularName: '',
          namespaced: true,
          group: 'policy',
          version: 'v1',
          kind: 'Eviction',
          verbs: ['create'],
        },
      ]),
    });
  });
}

export function budgetCases(ask: () => Api): void {
  it('counts an eviction, and refuses the next one', async () => {
    const app = freshName();
    const budget = await givenBudget(ask(), app);
    const [first, second] = [await givenPod(ask(), { labels: { app } }), await givenPod(ask(), { labels: { app } })];
    expect(await evict(ask(), first)).toMatchObject(accepted);
    expect(await statusOfBudget(ask(), budget)).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { [first.metadata.name]: expect.any(String) },
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: 'False',
          reason: 'InsufficientPods',
          message: '',
          observedGeneration: 1,
          lastTransitionTime: expect.any(String),
        },
      ],
    });
    const counted = `The disruption budget ${budget} does not allow evicting pods currently`;
    expectRefused(await evict(ask(), second), counted);
    expect(done(await readPod(ask(), second))).toEqual(second);
  });

  it.each<{ reason: string; status: JsonObject; cause: string; retryAfterSeconds?: number }>([
    {
      reason: 'too few Pods are healthy',
      status: { disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 3 },
      cause: 'needs 3 healthy pods and has 2 currently',
    },
    {
      reason: 'the budget is not processed',
      status: { observedGeneration: 0 },
      cause: 'is still being processed by the server.',
      retryAfterSeconds: 10,
    },
    {
      reason: 'its Pods could not be counted',
      status: {
        disruptionsAllowed: 0,
        conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: 'boom' }],
      },
      cause: 'does not allow evicting pods currently because it failed sync: boom',
    },
    {
      reason: 'a condition explains it',
      status: {
        disruptionsAllowed: 0,
        conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'Other', message: 'boom' }],
      },
      cause: 'does not allow evicting pods currently (Other): boom',
    },
  ])('refuses an eviction if $reason', async ({ status, cause, retryAfterSeconds }) => {
    const app = freshName();
    const given = (Array.isArray(status['conditions']) ? status['conditions'] : []) as readonly JsonObject[]; // True: see above.
    const conditions = given.map(each => ({ ...each, lastTransitionTime: '2026-01-01T00:00:00Z' }));
    const budget = await givenBudget(ask(), app, { status: { ...status, conditions } });
    const pod = await givenPod(ask(), { labels: { app } });
    expectRefused(await evict(ask(), pod), `The disruption budget ${budget} ${cause}`, retryAfterSeconds);
    expect(done(await readPod(ask(), pod))).toEqual(pod);
  });

  it('refuses an eviction of a Pod with several budgets', async () => {
    const app = freshName();
    const names = [await givenBudget(ask(), app), await givenBudget(ask(), app)];
    const pod = await givenPod(ask(), { labels: { app } });
    const answer = await evict(ask(), pod);
    expectRefusal(answer, 500, {
      message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    });
    expect(answer.body).not.toHaveProperty('reason');
    expect(await statusOfBudget(ask(), names[0] ?? '')).toMatchObject({ disruptionsAllowed: 1 });
    expect(await isThere(ask(), pod)).toBe(true);
  });

  it.each<{ reason: string; spec: JsonObject | undefined; protects: boolean }>([
    { reason: 'an empty selector', spec: {}, protects: true },
    { reason: 'no selector', spec: undefined, protects: false },
    {
      reason: 'an expression that selects the Pod',
      spec: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['one', 'two'] }] },
      protects: true,
    },
    {
      reason: 'an expression that does not select the Pod',
      spec: {
        matchExpressions: [
          { key: 'tier', operator: 'Exists' },
          { key: 'app', operator: 'DoesNotExist' },
        ],
      },
      protects: false,
    },
  ])('with $reason', async ({ spec, protects }) => {
    const namespace = freshName('budgets');
    await ask().http.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const api = { ...ask(), namespace };
    await givenBudget(api, '', { spec: { selector: spec ?? null }, status: { disruptionsAllowed: 0 } });
    const pod = await givenPod(api, { labels: { app: 'a', tier: 'one' } });
    expect((await evict(api, pod)).status).toBe(protects ? 429 : 201);
  });

  it.each<{ reason: string; status: JsonObject | undefined }>([
    { reason: 'pending', status: undefined },
    { reason: 'succeeded', status: { phase: 'Succeeded' } },
    { reason: 'failed', status: { phase: 'Failed' } },
  ])('evicts a Pod that is $reason without its budget', async ({ status }) => {
    const app = freshName();
    const budget = await givenBudget(ask(), app, { status: { disruptionsAllowed: 0 } });
    const pod = await givenPod(ask(), { labels: { app }, status });
    expect(await evict(ask(), pod, { gracePeriodSeconds: 0 })).toMatchObject(accepted);
    expect(await isThere(ask(), pod)).toBe(false);
    expect(await statusOfBudget(ask(), budget)).not.toHaveProperty('disruptedPods');
  });

  it.each<{ reason: string; spec: JsonObject; status: JsonObject; free: boolean }>([
    { reason: 'without a policy, and the budget is met', spec: {}, status: {}, free: true },
    { reason: 'without a policy, and the budget is not met', spec: {}, status: { currentHealthy: 0 }, free: false },
    { reason: 'without a policy, and nothing is desired', spec: {}, status: { desiredHealthy: 0 }, free: false },
    {
      reason: 'with the policy AlwaysAllow',
      spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' },
      status: { currentHealthy: 0 },
      free: true,
    },
    {
      reason: 'with the policy IfHealthyBudget, and the budget is not met',
      spec: { unhealthyPodEvictionPolicy: 'IfHealthyBudget' },
      status: { currentHealthy: 0 },
      free: false,
    },
  ])('an unhealthy Pod is evicted $reason: $free', async ({ spec, status, free }) => {
    const app = freshName();
    const budget = await givenBudget(ask(), app, { spec, status: { disruptionsAllowed: 0, ...status } });
    const pod = await givenPod(ask(), { labels: { app }, status: { phase: 'Running' } });
    expect((await evict(ask(), pod)).status).toBe(free ? 201 : 429);
    expect(await statusOfBudget(ask(), budget)).not.toHaveProperty('disruptedPods');
  });

  it('a dry run is refused like the eviction, and changes nothing', async () => {
    const app = freshName();
    const budget = await givenBudget(ask(), app);
    const pod = await givenPod(ask(), { labels: { app } });
    const before = await statusOfBudget(ask(), budget);
    expect(await evict(ask(), pod, { dryRun: ['All'] })).toMatchObject(accepted);
    expect(done(await readPod(ask(), pod))).toEqual(pod);
    expect(await statusOfBudget(ask(), budget)).toEqual(before);
    const path = `${core(ask(), 'pods', pod.metadata.name)}/eviction`;
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod.metadata.name } };
    expect(await ask().http.post(path, body, { query: { dryRun: 'All' } })).toMatchObject(accepted);
    done(await ask().http.patch(`${budgets(ask(), budget)}/status`, { status: { disruptionsAllowed: 0 } }));
    expect((await ask().http.post(path, body, { query: { dryRun: 'All' } })).status).toBe(429);
  });

  it('refuses an eviction if the counter of the budget is negative', async () => {
    const app = freshName();
    const budget = await givenBudget(ask(), app);
    const pod = await givenPod(ask(), { labels: { app } });
    const written = await ask().http.patch(`${budgets(ask(), budget)}/status`, { status: { disruptionsAllowed: -1 } });
    // A real server admits no negative counter. Then there is nothing to refuse.
    expect((await evict(ask(), pod)).status).toBe(written.status === 200 ? 403 : 201);
  });
}
