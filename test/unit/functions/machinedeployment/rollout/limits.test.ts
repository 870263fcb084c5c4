import { describe, expect, it } from 'vitest';
import { toLimits } from '../../../../../functions/machinedeployment/plan/rollout/limits.ts';

const notAPercentage = 'invalid value for IntOrString: invalid type: string is not a percentage';

describe('the limits of a rolling update', () => {
  it.each([
    { maxSurge: '0%', maxUnavailable: '0%', replicas: 0, surge: 0, unavailable: 0, reason: 'no replicas' },
    {
      maxSurge: '0%',
      maxUnavailable: '1%',
      replicas: 2,
      surge: 0,
      unavailable: 1,
      reason: 'one Machine must go first',
    },
    { maxSurge: '1%', maxUnavailable: '25%', replicas: 1, surge: 1, unavailable: 0, reason: 'up and down' },
    { maxSurge: '39%', maxUnavailable: '39%', replicas: 10, surge: 4, unavailable: 3, reason: 'up and down' },
    { maxSurge: 1, maxUnavailable: 10, replicas: 6, surge: 1, unavailable: 6, reason: 'at most the replicas' },
    { maxSurge: '5', maxUnavailable: '1', replicas: 7, surge: 0, unavailable: 0, reason: 'texts are no numbers' },
    { maxSurge: 1, maxUnavailable: 'x', replicas: 7, surge: 0, unavailable: 0, reason: 'one value is not valid' },
    { maxSurge: 'x', maxUnavailable: 1, replicas: 7, surge: 0, unavailable: 0, reason: 'the other is not valid' },
    { maxSurge: undefined, maxUnavailable: 1, replicas: 7, surge: 0, unavailable: 0, reason: 'one value is absent' },
    { maxSurge: 2, maxUnavailable: 0, replicas: 7, surge: 2, unavailable: 0, reason: 'a surge alone' },
    { maxSurge: 0, maxUnavailable: 2, replicas: 7, surge: 0, unavailable: 2, reason: 'no surge' },
  ])('are $surge and $unavailable for $maxSurge, $maxUnavailable of $replicas: $reason', each => {
    const { surge, unavailable, replicas } = each;
    const limits = toLimits({ type: 'RollingUpdate', ...each }, replicas);
    expect(limits).toMatchObject({ replicas, surge, unavailable, minAvailable: replicas - unavailable });
  });

  it.each(['OnDelete', 'Other'])('do not exist for %s', type => {
    const limits = toLimits({ type, maxSurge: 1, maxUnavailable: 2 }, 5);
    expect(limits).toMatchObject({ replicas: 5, surge: 0, unavailable: 0, minAvailable: 5 });
  });

  it('keep the error of the surge', () => {
    expect(toLimits({ type: 'RollingUpdate', maxSurge: '5', maxUnavailable: 1 }, 5).maxSurge).toEqual({
      ok: false,
      error: notAPercentage,
    });
  });
});
