import { expect, it } from 'vitest';
import { discovered, notDiscovered } from '../../../../../functions/extensionconfig/conditions/discovered.ts';

it.each([
  {
    told: discovered(),
    condition: { type: 'Discovered', status: 'True', reason: 'Discovered' },
    v1beta1: { type: 'Discovered', status: 'True' },
    reason: 'a good discovery needs no words',
  },
  {
    told: notDiscovered('why'),
    condition: { type: 'Discovered', status: 'False', reason: 'NotDiscovered', message: 'why' },
    v1beta1: { type: 'Discovered', status: 'False', severity: 'Error', reason: 'DiscoveryFailed', message: 'why' },
    reason: 'both families say the same',
  },
])('Discovered: $reason', ({ told, condition, v1beta1 }) => {
  expect(told).toEqual({ condition, v1beta1 });
});
