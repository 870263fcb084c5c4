import type { Unstructured } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { readExtensionConfig } from '../../../../../shared/api/extension-config/reader.ts';
import { isFor, toRegistry } from '../../../../../shared/runtime-hooks/rules/registry.ts';
import { anExtensionConfig } from '../../../../support/extension-config.ts';
import { type Built, built } from '../../../../support/object-builder.ts';
import { aDiscovered } from '../hook-calling-pass.ts';

const first = { name: 'first', hook: 'BeforeClusterCreate' };

function registryOf(...configs: readonly Built<Unstructured>[]) {
  return toRegistry(configs.map(config => readExtensionConfig(built(config))));
}

function namesIn(...configs: readonly Built<Unstructured>[]): readonly string[] {
  return registryOf(...configs).registrations.map(({ name }) => name);
}

function doubtsIn(...configs: readonly Built<Unstructured>[]): readonly string[] {
  return registryOf(...configs).undiscovered.map(({ extension, problem }) => `${extension}: ${problem}`);
}

describe('the registry', () => {
  it('holds everything that a call of a handler needs', () => {
    const config = aDiscovered([{ ...first, timeoutSeconds: 3, failurePolicy: 'Ignore' }])
      .withUid('u1')
      .atGeneration(4)
      .withSpec({ settings: { k: 'v' } });
    expect(registryOf(config)).toMatchObject({
      registrations: [
        {
          name: 'first.ext1',
          shortName: 'first',
          extension: { name: 'ext1', uid: 'u1', generation: 4 },
          group: 'hooks.runtime.cluster.x-k8s.io',
          version: 'v1alpha1',
          hook: 'BeforeClusterCreate',
          selector: { matchLabels: {}, matchExpressions: [] },
          timeoutSeconds: 3,
          failurePolicy: 'Ignore',
          settings: { k: 'v' },
        },
      ],
      undiscovered: [],
    });
  });

  it.each([
    { given: undefined, is: 10, reason: 'absent' },
    { given: 0, is: 10, reason: 'as absent' },
    { given: -1, is: 10, reason: 'the status was not validated' },
    { given: 30, is: 30, reason: 'the longest' },
    { given: 31, is: 30, reason: 'the status was not validated' },
  ])('gives a handler with timeout $given a limit of $is s ($reason)', ({ given, is }) => {
    const config = aDiscovered([{ ...first, ...(given === undefined ? {} : { timeoutSeconds: given }) }]);
    expect(registryOf(config).registrations[0]?.timeoutSeconds).toBe(is);
  });

  it('sorts by full names, independent of the order of ExtensionConfigs and handlers', () => {
    const b = aDiscovered(
      [
        { ...first, name: 'z' },
        { ...first, name: 'a' },
      ],
      'b',
    );
    const a = aDiscovered([{ ...first, name: 'm' }], 'a');
    expect(namesIn(b, a)).toEqual(['a.b', 'm.a', 'z.b']);
  });

  it('keeps handlers while the last discovery failed', () => {
    const failed = aDiscovered([first]).withCondition('Discovered', { status: 'False', reason: 'NotDiscovered' });
    expect(namesIn(failed)).toEqual(['first.ext1']);
    expect(doubtsIn(failed)).toEqual([]);
  });

  it('omits ExtensionConfigs that are being deleted', () => {
    expect(registryOf(aDiscovered([first]).deleting())).toEqual({ registrations: [], undiscovered: [] });
  });

  it('treats a discovered ExtensionConfig without handlers as one without hooks', () => {
    expect(registryOf(aDiscovered([]))).toEqual({ registrations: [], undiscovered: [] });
  });

  it('reports unknown handlers for an ExtensionConfig that was never discovered', () => {
    const never = 'ext1: it was never discovered; fix it (see its condition Discovered) or delete it';
    expect(doubtsIn(anExtensionConfig())).toEqual([never]);
    expect(doubtsIn(anExtensionConfig().withCondition('Discovered', { status: 'False' }))).toEqual([never]);
  });

  it('registers nothing of an ExtensionConfig with an invalid selector, and treats it as undiscovered everywhere', () => {
    const matchExpressions = [{ key: 'k', operator: 'Like', values: [] }];
    const config = aDiscovered([first]).withSpec({ namespaceSelector: { matchExpressions } });
    expect(namesIn(config)).toEqual([]);
    expect(registryOf(config).undiscovered).toEqual([
      {
        extension: 'ext1',
        selector: { matchLabels: {}, matchExpressions: [] },
        problem: 'its namespaceSelector is not valid: "Like" is not a valid label selector operator',
      },
    ]);
  });

  it('registers nothing of an ExtensionConfig with an invalid apiVersion', () => {
    const config = aDiscovered([first, { ...first, name: 'other', apiVersion: 'a/b/c' }]);
    expect(namesIn(config)).toEqual([]);
    expect(doubtsIn(config)).toEqual(['ext1: handler other.ext1 has the apiVersion "a/b/c", which is none']);
  });

  it('calls a handler by its whole name if that does not end with the name of its ExtensionConfig', () => {
    const status = { handlers: [{ name: 'odd', requestHook: { apiVersion: 'g/v1', hook: 'H' } }] };
    expect(registryOf(anExtensionConfig().withStatus(status)).registrations[0]?.shortName).toBe('odd');
  });

  it.each([
    {
      hook: 'BeforeClusterCreate',
      apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1',
      is: true,
      reason: 'the same',
    },
    { hook: 'BeforeClusterCreate', apiVersion: 'hooks.runtime.cluster.x-k8s.io/v9', is: true, reason: 'any version' },
    { hook: 'BeforeClusterCreate', apiVersion: 'other.example.com/v1alpha1', is: false, reason: 'another group' },
    {
      hook: 'BeforeClusterDelete',
      apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1',
      is: false,
      reason: 'another',
    },
  ])('matches a handler to its hook: $hook of $apiVersion ($reason)', ({ hook, apiVersion, is }) => {
    const [registration] = registryOf(aDiscovered([{ name: 'h', hook, apiVersion }])).registrations;
    expect(registration && isFor(registration, { name: 'BeforeClusterCreate' })).toBe(is);
  });
});
