import { expect, it } from 'vitest';
import { toSettings } from '../../../../functions/clusterclass/settings.ts';
import { defaultFeatureGates } from '../../../../shared/config/feature-gates.ts';

it.each([
  { RuntimeSDK: true, reason: 'extensions are asked' },
  { RuntimeSDK: false, reason: 'extensions are not asked' },
])('RuntimeSDK=$RuntimeSDK: $reason', ({ RuntimeSDK }) => {
  expect(toSettings({ featureGates: { ...defaultFeatureGates, RuntimeSDK } })).toEqual({ callsExtensions: RuntimeSDK });
});
