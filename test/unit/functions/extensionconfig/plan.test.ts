import { answered, type FailureReason, invalid, refused, valid } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import {
  gateOf,
  injectionOf,
  type ObservedExtensionConfig,
  pausedOf,
  plan,
  readCaBundle,
  toHandlers,
} from '../../../../functions/extensionconfig/plan.ts';
import { readExtensionConfig } from '../../../../shared/api/extension-config/reader.ts';
import type { DiscoveredHandler } from '../../../../shared/runtime-hooks/rules/response-schemas.ts';
import { anExtensionConfig } from '../../../support/extension-config.ts';
import { aSecret, base64, hooksApiVersion } from './reconciled-extension-config.ts';

const config = readExtensionConfig(anExtensionConfig().atResourceVersion('7').build());
const write = (caBundle: string | null) => [
  {
    id: 'caBundle',
    onError: 'stop',
    do: 'patch',
    ref: { apiVersion: 'runtime.cluster.x-k8s.io/v1beta2', kind: 'ExtensionConfig', name: 'ext1' },
    body: { spec: { clientConfig: { caBundle } } },
    resourceVersion: '7',
  },
];

it.each<{ seen: ObservedExtensionConfig; actions: unknown; reason: string }>([
  {
    seen: { step: 'failed', config, error: 'e', isReported: true },
    actions: [],
    reason: 'there is no caBundle to write',
  },
  {
    seen: { step: 'discovery', config, discovered: valid([]) },
    actions: [],
    reason: 'the handlers are part of the status',
  },
  {
    seen: { step: 'discovery', config, discovered: invalid('e') },
    actions: [],
    reason: 'a failure is part of the status',
  },
  {
    seen: { step: 'inject', config, caBundle: 'UEVN' },
    actions: write('UEVN'),
    reason: 'locked on the version that was read',
  },
  {
    seen: { step: 'inject', config, caBundle: '' },
    actions: write(null),
    reason: 'the schema allows no empty string',
  },
])('$seen.step: $reason', ({ seen, actions }) => {
  expect(plan(seen).actions).toEqual(actions);
});

const message = 'ExtensionConfig has the cluster.x-k8s.io/paused annotation';
const notPaused = anExtensionConfig().withCondition('Paused', { status: 'False', reason: 'NotPaused' });
const paused = anExtensionConfig()
  .paused()
  .withCondition('Paused', { status: 'True', reason: 'Paused', message, observedGeneration: 1 });

it.each([
  { config: anExtensionConfig(), gate: 'pausedCondition', reason: 'the condition is missing' },
  { config: notPaused, gate: 'open', reason: 'the condition is current' },
  { config: notPaused.paused(), gate: 'pausedCondition', reason: 'it was paused since' },
  { config: paused, gate: 'paused', reason: 'it is paused, and the condition is current' },
  { config: paused.atGeneration(2), gate: 'pausedCondition', reason: 'its spec changed since' },
  { config: paused.deleting(), gate: 'deleting', reason: 'deletion comes before pause' },
  { config: anExtensionConfig().deleting(), gate: 'deleting', reason: 'deletion comes before the condition' },
])('$gate: $reason', ({ config, gate }) => {
  const early = gateOf(readExtensionConfig(config.build()));
  expect(early === undefined ? 'open' : 'stop' in early ? early.stop : early.end).toBe(gate);
});

it('is paused by its annotation only', () => {
  expect(pausedOf(readExtensionConfig(anExtensionConfig().withSpec({ paused: true }).build())).status).toBe('False');
  expect(pausedOf(readExtensionConfig(paused.build()))).toEqual({
    type: 'Paused',
    status: 'True',
    reason: 'Paused',
    message,
  });
});

const secretRef = { apiVersion: 'v1', kind: 'Secret', namespace: 'ns', name: 's' };

describe('the Secret that the annotation names', () => {
  it.each([
    { value: undefined, injection: { state: 'none' }, reason: 'no annotation' },
    { value: 'ns/s', injection: { state: 'secret', ref: secretRef }, reason: 'both parts' },
    {
      value: 'ns/s/t',
      injection: { state: 'secret', ref: { ...secretRef, name: 's/t' } },
      reason: 'split at the first slash; such a Secret cannot exist',
    },
    { value: 'justname', reason: 'no slash' },
    { value: '/s', reason: 'no namespace' },
    { value: 'ns/', reason: 'no name' },
    { value: '/', reason: 'neither' },
    { value: '', reason: 'empty' },
  ])('$value: $reason', ({ value, injection }) => {
    const config = readExtensionConfig(
      (value === undefined ? anExtensionConfig() : anExtensionConfig().injectingCaFrom(value)).build(),
    );
    const error = `failed to reconcile caBundle: secret name "${value}" must be in the form <namespace>/<name>`;
    expect(injectionOf(config)).toEqual(injection ?? { state: 'malformed', error });
  });
});

describe('the caBundle in the Secret', () => {
  it.each([
    { data: { 'ca.crt': 'PEM' }, caBundle: base64('PEM'), reason: 'has the same bytes' },
    { data: { 'ca.crt': '' }, caBundle: '', reason: 'an empty entry empties the bundle' },
  ])('$reason', ({ data, caBundle }) => {
    expect(readCaBundle(secretRef, answered(aSecret(data)))).toEqual({ state: 'found', caBundle });
  });

  it('is an error without the entry', () => {
    expect(readCaBundle(secretRef, answered(aSecret({ 'tls.crt': 'PEM' })))).toEqual({
      state: 'failed',
      error: 'failed to reconcile caBundle: secret ns/s does not contain a "ca.crt" entry',
      isLasting: true,
    });
  });

  it.each<{ because: FailureReason; isLasting: boolean; reason: string }>([
    { because: 'NotFound', isLasting: true, reason: 'a user must create it' },
    { because: 'Forbidden', isLasting: true, reason: 'a user must allow it' },
    { because: 'BadRequest', isLasting: true, reason: 'a user must correct the name' },
    { because: 'Invalid', isLasting: true, reason: 'a user must correct the name' },
    { because: 'Unavailable', isLasting: false, reason: 'the API server recovers' },
    { because: 'TooManyRequests', isLasting: false, reason: 'the API server recovers' },
    { because: 'Aborted', isLasting: false, reason: 'the next invocation has time' },
  ])('a failure by $because lasts: $isLasting, since $reason', ({ because, isLasting }) => {
    expect(readCaBundle(secretRef, refused({ reason: because, message: 'why' }))).toEqual({
      state: 'failed',
      error: 'failed to reconcile caBundle: failed to get secret "ns/s": why',
      isLasting,
    });
  });
});

const good: DiscoveredHandler = {
  name: 'h',
  requestHook: { apiVersion: hooksApiVersion, hook: 'GeneratePatches' },
  timeoutSeconds: undefined,
  failurePolicy: undefined,
};
const kept = { name: 'h.ext1', requestHook: good.requestHook, timeoutSeconds: 10, failurePolicy: 'Fail' };

describe('the handlers in the status', () => {
  it.each([
    { given: [], handlers: [], reason: 'may be none' },
    { given: [good], handlers: [kept], reason: 'have defaults' },
    {
      given: [{ ...good, timeoutSeconds: 30, failurePolicy: 'Ignore' }],
      handlers: [{ ...kept, timeoutSeconds: 30, failurePolicy: 'Ignore' }],
      reason: 'may have the longest timeout, and the other policy',
    },
    {
      given: [{ ...good, timeoutSeconds: 1, failurePolicy: 'Fail' }],
      handlers: [{ ...kept, timeoutSeconds: 1 }],
      reason: 'keep given values',
    },
    {
      given: [{ ...good, timeoutSeconds: 0 }],
      handlers: [{ name: 'h.ext1', requestHook: good.requestHook, failurePolicy: 'Fail' }],
      reason: 'have no timeout for 0, as the schema requires',
    },
    {
      given: [{ ...good, name: 'z' }, good],
      handlers: [{ ...kept, name: 'z.ext1' }, kept],
      reason: 'are in the order of the answer',
    },
  ])('$reason', ({ given, handlers }) => {
    expect(toHandlers('ext1', given)).toEqual({ ok: true, value: handlers });
  });

  it('are as many as the schema allows, and no more', () => {
    const many = Array.from({ length: 513 }, (_, index) => ({ ...good, name: `h${index}` }));
    expect(toHandlers('ext1', many.slice(1))).toMatchObject({ ok: true });
    expect(toHandlers('ext1', many)).toEqual({
      ok: false,
      error:
        'failed to discover extension "ext1": failed to validate discovery response: ' +
        '513 handlers are more than the 512 that can be kept',
    });
  });
});

describe('an invalid answer', () => {
  const notLabel =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with " +
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
  const hook = (change: Partial<typeof good.requestHook>) => ({
    ...good,
    requestHook: { ...good.requestHook, ...change },
  });

  it.each([
    { given: [good, good], text: 'duplicate name for handler h found', reason: 'the same name twice' },
    {
      given: [good, good, good],
      text: 'duplicate name for handler h found',
      reason: 'the same name three times is reported once',
    },
    { given: [{ ...good, name: 'H' }], text: `handler name H is not valid: [${notLabel}]`, reason: 'no label' },
    {
      given: [{ ...good, name: `${'a'.repeat(64)}A` }],
      text: `handler name ${'a'.repeat(64)}A is not valid: [must be no more than 63 characters ${notLabel}]`,
      reason: 'several problems of a name are listed together',
    },
    {
      given: [{ ...good, timeoutSeconds: 31 }],
      text: 'handler h timeoutSeconds 31 must be between 0 and 30',
      reason: 'too long',
    },
    {
      given: [{ ...good, timeoutSeconds: -1 }],
      text: 'handler h timeoutSeconds -1 must be between 0 and 30',
      reason: 'negative',
    },
    {
      given: [{ ...good, failurePolicy: '' }],
      text: 'handler h failurePolicy  must equal "Ignore" or "Fail"',
      reason: 'an empty policy is none',
    },
    {
      given: [hook({ apiVersion: 'a/b/c' })],
      text: 'handler h requestHook APIVersion a/b/c is not valid: unexpected GroupVersion string: a/b/c',
      reason: 'no API version at all',
    },
    {
      given: [hook({ apiVersion: 'v1alpha1' })],
      text: 'handler h requestHook v1alpha1/GeneratePatches is not in the Runtime SDK catalog',
      reason: 'a version without group',
    },
    {
      given: [hook({ hook: 'generatepatches' })],
      text: `handler h requestHook ${hooksApiVersion}/generatepatches is not in the Runtime SDK catalog`,
      reason: 'the name of the hook is compared exactly',
    },
    {
      given: [{ ...good, timeoutSeconds: 31 }, { ...good, name: 'g', failurePolicy: 'Foo' }, good],
      text:
        '[handler h timeoutSeconds 31 must be between 0 and 30, ' +
        'handler g failurePolicy Foo must equal "Ignore" or "Fail", duplicate name for handler h found]',
      reason: 'everything is collected, in the order of the answer',
    },
  ])('$reason', ({ given, text }) => {
    expect(toHandlers('ext1', given)).toEqual({
      ok: false,
      error: `failed to discover extension "ext1": failed to validate discovery response: ${text}`,
    });
  });
});
