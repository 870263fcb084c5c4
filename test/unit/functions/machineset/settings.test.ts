import { defaultFeatureGates } from '@capi-serverless/cluster-api/feature-gates';
import { expect, it } from 'vitest';
import { defaultSettings, toSettings } from '../../../../functions/machineset/settings.ts';
import { ConfigError, parseConfig } from '../../../../shared/config/env.ts';

it('has the defaults of the upstream manager', () => {
  expect(toSettings(parseConfig({}))).toEqual(defaultSettings);
});

it.each([
  { checks: 'ControlPlaneIsStable, KubeadmVersionSkew', expected: ['ControlPlaneIsStable', 'KubeadmVersionSkew'] },
  { checks: 'All,KubernetesVersionSkew', expected: ['All', 'KubernetesVersionSkew'] },
  { checks: 'ControlPlaneVersionSkew', expected: ['ControlPlaneVersionSkew'] },
  { checks: 'None', expected: [] },
])('enables the checks $checks', ({ checks, expected }) => {
  expect(toSettings(parseConfig({ CAPI_MACHINESET_PREFLIGHT_CHECKS: checks })).preflightChecks).toEqual(expected);
});

it('makes the checks of topologies only if the feature gate is enabled', () => {
  const featureGates = { ...defaultFeatureGates, ClusterTopology: true };
  expect(toSettings({ featureGates, machineSetPreflightChecks: ['All'] }).hasTopologies).toBe(true);
});

it('refuses an unknown check', () => {
  const read = () => toSettings(parseConfig({ CAPI_MACHINESET_PREFLIGHT_CHECKS: 'All,Other' }));
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(
    'Environment is not valid: CAPI_MACHINESET_PREFLIGHT_CHECKS: "Other" is not one of All, None, ControlPlaneIsStable, KubernetesVersionSkew, KubeadmVersionSkew, ControlPlaneVersionSkew',
  );
});
