import { expect, it } from 'vitest';
import { gateOf, pausedOf } from '../../../../../functions/extensionconfig/phases/gate.ts';
import { readExtensionConfig } from '../../../../../shared/api/extension-config/reader.ts';
import { anExtensionConfig } from '../../../../support/extension-config.ts';

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
