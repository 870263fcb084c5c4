import { defaultFeatureGates } from '@capi-serverless/cluster-api/feature-gates';
import { expect, it } from 'vitest';
import { toSettings } from '../../../../functions/clusterclass/settings.ts';

it.each([
  { RuntimeSDK: true, reason: 'extensions are called' },
  { RuntimeSDK: false, reason: 'extensions are not called' },
])('RuntimeSDK=$RuntimeSDK: $reason', ({ RuntimeSDK }) => {
  expect(toSettings({ featureGates: { ...defaultFeatureGates, RuntimeSDK } })).toEqual({ callsExtensions: RuntimeSDK });
});
