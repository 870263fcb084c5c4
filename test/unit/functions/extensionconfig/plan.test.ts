import { invalid, valid } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { plan } from '../../../../functions/extensionconfig/plan.ts';
import type { ExtensionConfigSeen } from '../../../../functions/extensionconfig/seen.ts';
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

it.each<{ seen: ExtensionConfigSeen; actions: unknown; reason: string }>([
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
