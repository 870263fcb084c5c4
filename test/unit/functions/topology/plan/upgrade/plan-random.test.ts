import { describe, it } from 'vitest';
import { checkPlan } from '../../../../../../functions/topology/plan/upgrade/plan-check.ts';
import { fc } from '../../../../../support/property.ts';
import { aSpan, parsed, planOf } from '../../../../../support/topology-upgrade.ts';

/** A class with up to three patch versions of consecutive minor versions, and a Cluster with one of them. */
const upgrades = fc
  .record({
    start: fc.integer({ min: 20, max: 25 }),
    patches: fc.array(fc.uniqueArray(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 3 }), {
      minLength: 2,
      maxLength: 10,
    }),
    at: fc.nat(),
    lag: fc.option(fc.integer({ min: 0, max: 3 })),
  })
  .map(({ start, patches, at, lag }) => {
    const versions = patches.flatMap((of, index) =>
      of.toSorted((a, b) => a - b).map(patch => `v1.${start + index}.${patch}`),
    );
    const controlPlane = versions[at % versions.length] ?? '';
    const [, minor = '0'] = controlPlane.split('.');
    const workers = lag === null ? '' : `v1.${Number(minor) - lag}.0`;
    return { versions, controlPlane, workers, target: versions.at(-1) ?? '' };
  });

describe('every plan that is made from a list of versions', () => {
  const minorOf = (text: string): number => Number(parsed(text).version.minor);

  it('is valid, and keeps workers within three minors of the control plane', () => {
    fc.assert(
      fc.property(upgrades, ({ versions, controlPlane, workers, target }) => {
        const span = aSpan(controlPlane, workers, target);
        const plan = planOf(versions, span);
        if (typeof plan === 'string') {
          return false;
        }
        const stops = workers === '' ? [] : [workers, ...plan.workers];
        const isWithinSkew = (step: string): boolean => {
          const behind = plan.workers.filter(stop => minorOf(stop) <= minorOf(step)).at(-1) ?? workers;
          return workers === '' || minorOf(step) - minorOf(behind) <= 3;
        };
        return (
          checkPlan(plan, span).ok &&
          stops.slice(1).every((stop, index) => minorOf(stop) - minorOf(stops[index] ?? stop) <= 3) &&
          plan.controlPlane.every(isWithinSkew)
        );
      }),
    );
  });
});
