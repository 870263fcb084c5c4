// The answers of the example, for each hook.
import { describe, expect, it } from 'vitest';
import { handlers } from '../../../../examples/extension/handlers.ts';
import { type HookRequest, hooksApiVersion } from '../../../../examples/extension/protocol.ts';
import { toHandlers } from '../../../../functions/extensionconfig/plan.ts';

async function call(hook: string, fields: Readonly<Record<string, unknown>> = {}) {
  const handler = handlers.find(each => each.hook === hook);
  const request: HookRequest = { apiVersion: hooksApiVersion, kind: `${hook}Request`, ...fields };
  return handler?.answer(request);
}

const variable = (name: string, value: unknown) => ({ name, value });

it('serves handlers that discovery accepts', () => {
  const discovered = handlers.map(({ name, hook, timeoutSeconds, failurePolicy }) => ({
    name,
    requestHook: { apiVersion: hooksApiVersion, hook },
    timeoutSeconds,
    failurePolicy,
  }));
  expect(toHandlers('ext1', discovered)).toMatchObject({ ok: true });
});

describe('patches', () => {
  const variables = [variable('zones', ['zone-b']), variable('auditLevel', 'Request')];
  it.each([
    {
      kind: 'SimulatedClusterTemplate',
      patch: { spec: { template: { spec: { failureDomains: ['zone-b'] } } } },
      reason: 'zones are failure domains',
    },
    {
      kind: 'SimulatedControlPlaneTemplate',
      patch: { spec: { template: { spec: { settings: { auditLevel: 'Request' } } } } },
      reason: 'the audit level is a setting of the control plane',
    },
    { kind: 'SomethingElseTemplate', patch: undefined, reason: 'other templates stay as they are' },
  ])('of a $kind: $reason', async ({ kind, patch }) => {
    const answer = await call('GeneratePatches', { variables, items: [{ uid: 'u1', object: { kind } }] });
    const items = answer?.['items'] as readonly { uid: string; patchType: string; patch: string }[]; // true: the hook has this form
    const read = items.map(({ patch: encoded, ...item }) => ({
      ...item,
      patch: JSON.parse(Buffer.from(encoded, 'base64').toString()) as unknown,
    }));
    expect(answer?.status).toBe('Success');
    expect(read).toEqual(patch === undefined ? [] : [{ uid: 'u1', patchType: 'JSONMergePatch', patch }]);
  });
});

describe('validation', () => {
  const zones = (...values: readonly string[]) => [variable('zones', values)];
  it.each([
    {
      variables: zones('zone-a'),
      settings: { zones: 'zone-a, zone-b' },
      answer: { status: 'Success' },
      reason: 'capacity',
    },
    { variables: zones('zone-c'), settings: {}, answer: { status: 'Success' }, reason: 'capacity everywhere' },
    {
      variables: zones('zone-c', 'zone-a'),
      settings: { zones: 'zone-a,zone-b' },
      answer: { status: 'Failure', message: 'no capacity in zone-c; choose among zone-a, zone-b' },
      reason: 'a zone without capacity',
    },
    {
      variables: zones('zone-a', 'zone-a'),
      settings: {},
      answer: { status: 'Failure', message: 'a zone is named twice' },
      reason: 'a zone twice',
    },
    { variables: [], settings: {}, answer: { status: 'Success' }, reason: 'no variables' },
  ])('$answer.status: $reason', async ({ variables, settings, answer }) => {
    expect(await call('ValidateTopology', { variables, settings })).toEqual(answer);
  });
});

describe('the life of a Cluster', () => {
  const cluster = (hold: string | undefined) => ({
    metadata: { name: 'c1', annotations: hold === undefined ? {} : { 'extension.capi-serverless.dev/hold': hold } },
  });
  const message = 'held by annotation extension.capi-serverless.dev/hold, which names BeforeClusterCreate';
  it.each([
    { hold: undefined, settings: {}, answer: { status: 'Success' }, reason: 'no annotation blocks it' },
    { hold: 'BeforeClusterDelete', settings: {}, answer: { status: 'Success' }, reason: 'another hook blocks' },
    {
      hold: 'BeforeClusterDelete, BeforeClusterCreate',
      settings: {},
      answer: { status: 'Success', message, retryAfterSeconds: 10 },
      reason: 'this hook blocks',
    },
    {
      hold: 'BeforeClusterCreate',
      settings: { retryAfterSeconds: '3' },
      answer: { status: 'Success', message, retryAfterSeconds: 3 },
      reason: 'as soon as the setting allows',
    },
    {
      hold: 'BeforeClusterCreate',
      settings: { retryAfterSeconds: '-3' },
      answer: { status: 'Success', message, retryAfterSeconds: 10 },
      reason: 'an invalid setting',
    },
  ])('blocks or not: $reason', async ({ hold, settings, answer }) => {
    expect(await call('BeforeClusterCreate', { cluster: cluster(hold), settings })).toEqual(answer);
  });

  it('is not blocked by non-blocking hooks', async () => {
    expect(await call('AfterControlPlaneInitialized', { cluster: cluster('AfterControlPlaneInitialized') })).toEqual({
      status: 'Success',
    });
  });
});
