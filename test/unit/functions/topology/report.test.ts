import { describe, expect, it } from 'vitest';
import { withUpgradePlan } from '../../../../functions/topology/report.ts';

const old = {
  phase: 'Provisioned',
  controlPlane: { replicas: 3, upgradePlan: [{ version: 'v1.31.0' }] },
  workers: { upgradePlan: [{ version: 'v1.31.0' }] },
};

describe('the upgrade plan in the status', () => {
  it.each([
    { reason: 'stays while there is no new one', status: old, plan: undefined, becomes: old },
    {
      reason: 'is replaced',
      status: old,
      plan: { controlPlane: ['v1.32.0', 'v1.33.0'], workers: ['v1.33.0'] },
      becomes: {
        phase: 'Provisioned',
        controlPlane: { replicas: 3, upgradePlan: [{ version: 'v1.32.0' }, { version: 'v1.33.0' }] },
        workers: { upgradePlan: [{ version: 'v1.33.0' }] },
      },
    },
    {
      reason: 'is removed when nothing remains to do',
      status: old,
      plan: { controlPlane: [], workers: [] },
      becomes: { phase: 'Provisioned', controlPlane: { replicas: 3 }, workers: {} },
    },
    {
      reason: 'adds nothing where there is nothing',
      status: {},
      plan: { controlPlane: [], workers: ['v1.31.0'] },
      becomes: { workers: { upgradePlan: [{ version: 'v1.31.0' }] } },
    },
  ])('$reason', ({ status, plan, becomes }) => {
    expect(withUpgradePlan(status, plan)).toEqual(becomes);
  });
});
