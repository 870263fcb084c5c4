import { expect, it } from 'vitest';
import { decide } from '../../../../functions/extensionconfig/decide.ts';
import type { Seen } from '../../../../functions/extensionconfig/seen.ts';
import { invalid, valid } from '../../../../shared/api/checked.ts';
import { readExtensionConfig } from '../../../../shared/api/extension-config/reader.ts';
import { anExtensionConfig } from '../../../support/extension-config.ts';

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

it.each<{ seen: Seen; actions: unknown; reason: string }>([
  { seen: { step: 'pausedCondition', config }, actions: [], reason: 'a condition is no action' },
  { seen: { step: 'failed', config, error: 'e', isTold: true }, actions: [], reason: 'nothing is known' },
  { seen: { step: 'discovery', config, discovered: valid([]) }, actions: [], reason: 'the status is no action' },
  { seen: { step: 'discovery', config, discovered: invalid('e') }, actions: [], reason: 'neither is its failure' },
  {
    seen: { step: 'inject', config, caBundle: 'UEVN' },
    actions: write('UEVN'),
    reason: 'decided on this version alone',
  },
  {
    seen: { step: 'inject', config, caBundle: '' },
    actions: write(null),
    reason: 'the definition takes no empty text',
  },
])('$seen.step: $reason', ({ seen, actions }) => {
  expect(decide(seen)).toEqual(actions);
});
