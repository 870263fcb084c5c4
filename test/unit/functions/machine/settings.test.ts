import { describe, expect, it } from 'vitest';
import { defaultSettings, toSettings } from '../../../../functions/machine/settings.ts';
import { ConfigError, parseConfig } from '../../../../shared/config/env.ts';

const plain = ({ syncsLabel: _, syncsAnnotation: __, ...rest }: typeof defaultSettings) => rest;

describe('the settings of the Machine reconciler', () => {
  it('are upstream’s defaults in an empty environment', async () => {
    const settings = await toSettings(parseConfig({}));
    expect(plain(settings)).toEqual(plain(defaultSettings));
    for (const { syncsLabel, syncsAnnotation } of [settings, defaultSettings]) {
      expect([syncsLabel('a'), syncsAnnotation('a')]).toEqual([false, false]);
    }
  });

  it('follow the variables', async () => {
    const env = {
      CAPI_FEATURE_GATES: 'RuntimeSDK=true,InPlaceUpdates=true,MachineTaintPropagation=true',
      CAPI_REMOTE_PROBE: 'off',
      CAPI_REMOTE_CONDITIONS_GRACE_PERIOD_SECONDS: '400',
      CAPI_RESYNC_PERIOD_SECONDS: '300',
      CAPI_NODE_PERIOD_SECONDS: '60',
    };
    expect(plain(await toSettings(parseConfig(env)))).toEqual({
      ...plain(defaultSettings),
      propagatesTaints: true,
      updatesInPlace: true,
      probesRemote: false,
      remoteConditionsGracePeriodMs: 400_000,
      resyncPeriodMs: 300_000,
      nodePeriodMs: 60_000,
    });
  });

  it('select further labels and annotations by regular expressions', async () => {
    const settings = await toSettings(
      parseConfig({
        CAPI_ADDITIONAL_SYNC_MACHINE_LABELS: '^a/.*$,^b$',
        CAPI_ADDITIONAL_SYNC_MACHINE_ANNOTATIONS: '^c$',
      }),
    );
    expect(['a/x', 'b', 'bb', 'c'].map(settings.syncsLabel)).toEqual([true, true, false, false]);
    expect(['a/x', 'c'].map(settings.syncsAnnotation)).toEqual([false, true]);
  });

  it.each(['CAPI_ADDITIONAL_SYNC_MACHINE_LABELS', 'CAPI_ADDITIONAL_SYNC_MACHINE_ANNOTATIONS'])(
    'refuse an expression of %s that is not valid',
    async name => {
      const refused = toSettings(parseConfig({ [name]: '(' }));
      await expect(refused).rejects.toThrow(ConfigError);
      await expect(refused).rejects.toThrow(`Environment is not valid: ${name}: "(" is no regular expression`);
    },
  );
});
