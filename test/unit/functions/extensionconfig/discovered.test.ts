import { expect, it } from 'vitest';
import { discovered, notDiscovered } from '../../../../functions/extensionconfig/plan.ts';

it.each([
  {
    reported: discovered(),
    condition: { type: 'Discovered', status: 'True', reason: 'Discovered' },
    v1beta1: { type: 'Discovered', status: 'True' },
    reason: 'success has no message',
  },
  {
    reported: notDiscovered('why'),
    condition: { type: 'Discovered', status: 'False', reason: 'NotDiscovered', message: 'why' },
    v1beta1: { type: 'Discovered', status: 'False', severity: 'Error', reason: 'DiscoveryFailed', message: 'why' },
    reason: 'both families have the error',
  },
])('Discovered: $reason', ({ reported, condition, v1beta1 }) => {
  expect(reported).toEqual({ condition, v1beta1 });
});
