import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../../../functions/cluster/reconciler.ts';
import { toSettings } from '../../../../functions/cluster/settings.ts';
import { parseConfig } from '../../../../shared/config/env.ts';

describe('the settings of the Cluster reconciler', () => {
  it('are upstream’s defaults in an empty environment', () => {
    expect(toSettings(parseConfig({}))).toEqual(defaultSettings);
  });

  it.each([
    { gates: 'ClusterTopology=true', honors: false, reason: 'the hook cannot be called' },
    { gates: 'RuntimeSDK=true', honors: false, reason: 'there are no managed topologies' },
    { gates: 'ClusterTopology=true,RuntimeSDK=true', honors: true, reason: 'both gates are on' },
  ])('honor the BeforeClusterDelete hook with $gates: $honors ($reason)', ({ gates, honors }) => {
    expect(toSettings(parseConfig({ CAPI_FEATURE_GATES: gates })).honorsDeleteHook).toBe(honors);
  });

  it('follow the other variables', () => {
    const env = {
      CAPI_FEATURE_GATES: 'MachinePool=false',
      CAPI_REMOTE_PROBE: 'off',
      CAPI_REMOTE_CONNECTION_GRACE_PERIOD_SECONDS: '20',
      CAPI_RESYNC_PERIOD_SECONDS: '300',
      CAPI_CLASS_NAMESPACES: 'classes',
    };
    expect(toSettings(parseConfig(env))).toEqual({
      honorsDeleteHook: false,
      countsMachinePools: false,
      probesRemote: false,
      remoteGracePeriodMs: 20_000,
      resyncPeriodMs: 300_000,
      classNamespaces: ['classes'],
    });
  });
});
