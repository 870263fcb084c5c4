import { describe, expect, it } from 'vitest';
import { toHandlers } from '../../../../../functions/extensionconfig/phases/handlers.ts';
import type { DiscoveredHandler } from '../../../../../shared/runtime-hooks/rules/response-schemas.ts';
import { hooksApiVersion } from '../world.ts';

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
      text: `handler name ${'a'.repeat(64)}A is not valid: [must be no more than 63 bytes ${notLabel}]`,
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
