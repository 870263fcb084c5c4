import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import type { UpgradeSpan } from '../../../../../../functions/topology/plan/upgrade/plan-source.ts';
import { completePlan, planUpgrade } from '../../../../../../functions/topology/plan/upgrade/upgrade-plan.ts';
import { readClassSpec } from '../../../../../../shared/api/cluster-class/class-spec.ts';
import type { UpgradeSteps } from '../../../../../../shared/runtime-hooks/rules/requests.ts';
import { answerFrom } from '../../../../../support/answered-plan.ts';
import { aSpan, planOf } from '../../../../../support/topology-upgrade.ts';

function oneVersionPerMinor(first: number, last: number): readonly string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `v1.${first + index}.0`);
}

describe('the upgrade plan', () => {
  const v29to33 = ['v1.29.0', 'v1.30.2', 'v1.31.4', 'v1.32.3', 'v1.33.0'];

  it.each([
    {
      reason: 'two minors without a list',
      versions: [],
      span: aSpan('v1.30.0', 'v1.30.0', 'v1.32.0'),
      plan: 'cannot compute an upgrade plan from v1.30.0 to v1.32.0',
    },
    {
      reason: 'the last of each minor, workers in one step',
      versions: ['v1.30.0', 'v1.31.1', 'v1.31.4', 'v1.32.0'],
      span: aSpan('v1.30.0', 'v1.30.0', 'v1.32.0'),
      plan: { controlPlane: ['v1.31.4', 'v1.32.0'], workers: ['v1.32.0'] },
    },
    {
      reason: 'four minors: workers stop at the third',
      versions: v29to33,
      span: aSpan('v1.29.0', 'v1.29.0', 'v1.33.0'),
      plan: { controlPlane: ['v1.30.2', 'v1.31.4', 'v1.32.3', 'v1.33.0'], workers: ['v1.32.3', 'v1.33.0'] },
    },
    {
      reason: 'at the version at which the workers are awaited',
      versions: v29to33,
      span: aSpan('v1.32.3', 'v1.29.0', 'v1.33.0'),
      plan: { controlPlane: ['v1.33.0'], workers: ['v1.32.3', 'v1.33.0'] },
    },
    {
      reason: 'seven minors',
      versions: oneVersionPerMinor(29, 36),
      span: aSpan('v1.29.0', 'v1.29.0', 'v1.36.0'),
      plan: { controlPlane: oneVersionPerMinor(30, 36), workers: ['v1.32.0', 'v1.35.0', 'v1.36.0'] },
    },
    {
      reason: 'exactly three minors need no stop',
      versions: oneVersionPerMinor(29, 32),
      span: aSpan('v1.29.0', 'v1.29.0', 'v1.32.0'),
      plan: { controlPlane: ['v1.30.0', 'v1.31.0', 'v1.32.0'], workers: ['v1.32.0'] },
    },
    {
      reason: 'one minor, no list',
      versions: [],
      span: aSpan('v1.30.0', 'v1.30.0', 'v1.31.0'),
      plan: { controlPlane: ['v1.31.0'], workers: ['v1.31.0'] },
    },
    {
      reason: 'within a minor, no list',
      versions: [],
      span: aSpan('v1.30.0', '', 'v1.30.4'),
      plan: { controlPlane: ['v1.30.4'], workers: [] },
    },
    {
      reason: 'within a minor: only its last version',
      versions: ['v1.30.0', 'v1.30.2', 'v1.30.4'],
      span: aSpan('v1.30.0', 'v1.30.0', 'v1.30.4'),
      plan: { controlPlane: ['v1.30.4'], workers: ['v1.30.4'] },
    },
    {
      reason: 'the own minor is left at once',
      versions: ['v1.30.0', 'v1.30.4', 'v1.31.0'],
      span: aSpan('v1.30.0', 'v1.30.0', 'v1.31.0'),
      plan: { controlPlane: ['v1.31.0'], workers: ['v1.31.0'] },
    },
    {
      reason: 'only build metadata differs',
      versions: ['v1.31.0+a', 'v1.31.0+b'],
      span: aSpan('v1.31.0+a', 'v1.31.0+a', 'v1.31.0+b'),
      plan: { controlPlane: ['v1.31.0+b'], workers: ['v1.31.0+b'] },
    },
    {
      reason: 'listed versions beyond the target do not matter',
      versions: ['v1.30.0', 'v1.31.0', 'v1.31.4', 'v1.32.0'],
      span: aSpan('v1.30.0', '', 'v1.31.0'),
      plan: { controlPlane: ['v1.31.0'], workers: [] },
    },
    {
      reason: 'a target that is not listed cannot be reached',
      versions: ['v1.30.0', 'v1.31.0', 'v1.32.0'],
      span: aSpan('v1.30.0', '', 'v1.31.5'),
      plan: 'invalid ControlPlane upgrade plan: control plane upgrade plan must end with version v1.31.5, ends with v1.31.0 instead',
    },
    {
      reason: 'a listed text that is not a version',
      versions: ['latest'],
      span: aSpan('v1.30.0', '', 'v1.31.0'),
      plan: 'failed to parse version latest',
    },
    {
      reason: 'a list with a hole',
      versions: ['v1.30.0', 'v1.32.0'],
      span: aSpan('v1.30.0', '', 'v1.32.0'),
      plan: 'invalid ControlPlane upgrade plan: item 0; expecting a version with minor 30 or 31, found version v1.32.0',
    },
    {
      reason: 'only the workers are behind, with a list',
      versions: ['v1.30.0', 'v1.31.0'],
      span: aSpan('v1.31.0', 'v1.30.0', 'v1.31.0'),
      plan: { controlPlane: [], workers: ['v1.31.0'] },
    },
    {
      reason: 'only the workers are behind, without a list',
      versions: [],
      span: aSpan('v1.31.0', 'v1.29.0', 'v1.31.0'),
      plan: { controlPlane: [], workers: ['v1.31.0'] },
    },
    {
      reason: 'workers further behind than any plan of the control plane can cover',
      versions: [],
      span: aSpan('v1.33.0', 'v1.29.0', 'v1.33.0'),
      plan: 'invalid workers upgrade plan, item 0; workers cannot go from minor 29 (v1.29.0) to minor 33 (v1.33.0), an intermediate step is required to comply with Kubernetes version skew rules',
    },
    {
      reason: 'workers ahead of the target',
      versions: [],
      span: aSpan('v1.30.0', 'v1.32.0', 'v1.31.0'),
      plan: 'invalid workers upgrade plan, item 0; version v1.31.0 must be greater than v1.32.0',
    },
    {
      reason: 'everything is there already',
      versions: ['v1.31.0'],
      span: aSpan('v1.31.0', '1.31', 'v1.31.0'),
      plan: { controlPlane: [], workers: [] },
    },
    {
      reason: 'there, and no workers',
      versions: [],
      span: aSpan('v1.31.0', '', 'v1.31.0'),
      plan: { controlPlane: [], workers: [] },
    },
  ])('$reason', ({ versions, span, plan }) => {
    expect(planOf(versions, span)).toEqual(plan);
  });

  const ofExtension = readClassSpec({
    kubernetesVersions: ['v1.31.0'],
    upgrade: { external: { generateUpgradePlanExtension: 'plan.ext1' } },
  });
  const steps = { controlPlaneUpgrades: [{ version: 'v1.31.0' }], workersUpgrades: [{ version: 'v1.31.0' }] };
  const plan = (
    span: UpgradeSpan | undefined,
    answer: Checked<UpgradeSteps> = valid(steps),
    runtimeSdk = true,
  ): Readonly<Record<'result' | 'asked', unknown>> => {
    const input = { classSpec: ofExtension, span, topologyVersion: 'v1.31.0', runtimeSdk };
    const { result, asked } = answerFrom(planUpgrade(input), { generateUpgradePlan: () => answer });
    return { result, asked: asked.map(({ about }) => about) };
  };

  it('comes from an extension of the class, before the list of the class', () => {
    const span = aSpan('v1.30.0', 'v1.29.0', 'v1.31.0');
    expect(plan(span)).toEqual({
      result: valid({ controlPlane: ['v1.31.0'], workers: ['v1.31.0'] }),
      asked: [{ handler: 'plan.ext1', span, topologyVersion: 'v1.31.0' }],
    });
    const nothing = { result: valid({ controlPlane: [], workers: [] }), asked: [] };
    expect(plan(aSpan('v1.31.0', '', 'v1.31.0'))).toEqual(nothing);
    expect(plan(undefined)).toEqual(nothing);
  });

  it('of an extension is checked', () => {
    const wrong = { ...steps, workersUpgrades: [{ version: 'v1.30.5' }] };
    expect(plan(aSpan('v1.30.0', 'v1.29.0', 'v1.31.0'), valid(wrong)).result).toEqual(
      invalid(expect.stringMatching(/^invalid workers upgrade plan/)),
    );
  });

  it('of an extension is missing if the call fails, or if no extension may be called', () => {
    const span = aSpan('v1.30.0', '', 'v1.31.0');
    expect(plan(span, invalid('down')).result).toEqual(invalid('failed to get upgrade plan from extension: down'));
    expect(plan(span, valid(steps), false)).toEqual({
      result: invalid('can not use GenerateUpgradePlan extension "plan.ext1" if RuntimeSDK feature flag is disabled'),
      asked: [],
    });
  });
});

describe('a plan that an extension gave', () => {
  it.each([
    {
      reason: 'without workers it is completed',
      plan: { controlPlane: ['v1.31.1', 'v1.32.0'], workers: [] },
      span: aSpan('v1.30.0', 'v1.30.0', 'v1.32.0'),
      result: { controlPlane: ['v1.31.1', 'v1.32.0'], workers: ['v1.32.0'] },
    },
    {
      reason: 'with workers at every step',
      plan: { controlPlane: ['v1.31.1', 'v1.32.0'], workers: ['v1.31.1', 'v1.32.0'] },
      span: aSpan('v1.30.0', 'v1.30.0', 'v1.32.0'),
      result: { controlPlane: ['v1.31.1', 'v1.32.0'], workers: ['v1.31.1', 'v1.32.0'] },
    },
    {
      reason: 'two versions of one minor',
      plan: { controlPlane: ['v1.31.1', 'v1.31.4'], workers: [] },
      span: aSpan('v1.30.0', '', 'v1.31.4'),
      result: { controlPlane: ['v1.31.1', 'v1.31.4'], workers: [] },
    },
    {
      reason: 'workers alone, once the control plane has arrived',
      plan: { controlPlane: [], workers: ['v1.31.0', 'v1.32.0'] },
      span: aSpan('v1.32.0', 'v1.30.0', 'v1.32.0'),
      result: { controlPlane: [], workers: ['v1.31.0', 'v1.32.0'] },
    },
    {
      reason: 'no version',
      plan: { controlPlane: ['foo'], workers: [] },
      span: aSpan('v1.30.0', '', 'v1.31.0'),
      result: 'invalid ControlPlane upgrade plan: item 0; failed to parse version foo: it is not a semantic version',
    },
    {
      reason: 'backwards',
      plan: { controlPlane: ['v1.31.0', 'v1.30.4'], workers: [] },
      span: aSpan('v1.30.0', '', 'v1.31.0'),
      result: 'invalid ControlPlane upgrade plan: item 1; version v1.30.4 must be greater than v1.31.0',
    },
    {
      reason: 'the version that is there already',
      plan: { controlPlane: ['v1.30.0'], workers: [] },
      span: aSpan('v1.30.0', '', 'v1.31.0'),
      result: 'invalid ControlPlane upgrade plan: item 0; version v1.30.0 must be greater than v1.30.0',
    },
    {
      reason: 'a minor is skipped',
      plan: { controlPlane: ['v1.31.0', 'v1.33.0'], workers: [] },
      span: aSpan('v1.30.0', '', 'v1.33.0'),
      result:
        'invalid ControlPlane upgrade plan: item 1; expecting a version with minor 31 or 32, found version v1.33.0',
    },
    {
      reason: 'it ends too early',
      plan: { controlPlane: ['v1.31.0'], workers: [] },
      span: aSpan('v1.30.0', '', 'v1.32.0'),
      result:
        'invalid ControlPlane upgrade plan: control plane upgrade plan must end with version v1.32.0, ends with v1.31.0 instead',
    },
    {
      reason: 'it is empty',
      plan: { controlPlane: [], workers: [] },
      span: aSpan('v1.30.0', '', 'v1.31.0'),
      result:
        'invalid ControlPlane upgrade plan: control plane upgrade plan must end with version v1.31.0, ends with v1.30.0 instead',
    },
    {
      reason: 'the control plane is there already',
      plan: { controlPlane: ['v1.31.0'], workers: [] },
      span: aSpan('v1.31.0', 'v1.30.0', 'v1.31.0'),
      result: 'invalid ControlPlane upgrade plan: control plane is already at the desired version',
    },
    {
      reason: 'workers at versions that the control plane never has',
      plan: { controlPlane: ['v1.31.1', 'v1.32.0'], workers: ['v1.31.0', 'v1.31.2', 'v1.32.0'] },
      span: aSpan('v1.30.0', 'v1.30.0', 'v1.32.0'),
      result:
        "invalid workers upgrade plan: versions v1.31.0,v1.31.2 doesn't match any versions in the control plane upgrade plan nor the control plane version",
    },
    {
      reason: 'workers at the version that the control plane has',
      plan: { controlPlane: ['v1.32.0'], workers: ['v1.31.0', 'v1.32.0'] },
      span: aSpan('v1.31.0', 'v1.30.0', 'v1.32.0'),
      result: { controlPlane: ['v1.32.0'], workers: ['v1.31.0', 'v1.32.0'] },
    },
    {
      reason: 'workers: no version',
      plan: { controlPlane: [], workers: ['foo'] },
      span: aSpan('v1.31.0', 'v1.30.0', 'v1.31.0'),
      result: 'invalid workers upgrade plan, item 0; failed to parse version foo: it is not a semantic version',
    },
    {
      reason: 'workers backwards',
      plan: { controlPlane: ['v1.31.1', 'v1.32.0'], workers: ['v1.32.0', 'v1.31.1'] },
      span: aSpan('v1.30.0', 'v1.30.0', 'v1.32.0'),
      result: 'invalid workers upgrade plan, item 1; version v1.31.1 must be greater than v1.32.0',
    },
    {
      reason: 'workers in another order of build metadata than the control plane',
      plan: { controlPlane: ['v1.31.0+b', 'v1.31.0+a'], workers: ['v1.31.0+a', 'v1.31.0+b', 'v1.31.0+a'] },
      span: aSpan('v1.30.0', 'v1.30.0', 'v1.31.0+a'),
      result: 'invalid workers upgrade plan, item 1; version v1.31.0+b must be before v1.31.0+a',
    },
    {
      reason: 'workers in the order of build metadata of the control plane',
      plan: { controlPlane: ['v1.31.0+b', 'v1.31.0+a'], workers: ['v1.31.0+b', 'v1.31.0+a'] },
      span: aSpan('v1.30.0', 'v1.30.0', 'v1.31.0+a'),
      result: { controlPlane: ['v1.31.0+b', 'v1.31.0+a'], workers: ['v1.31.0+b', 'v1.31.0+a'] },
    },
    {
      reason: 'only build metadata is left to the workers',
      plan: { controlPlane: [], workers: [] },
      span: aSpan('v1.31.0+b', 'v1.31.0+a', 'v1.31.0+b'),
      result: { controlPlane: [], workers: ['v1.31.0+b'] },
    },
    {
      reason: 'workers at a build that the control plane never has, and that has no defined order',
      plan: { controlPlane: [], workers: ['v1.31.0+c', 'v1.31.0+b'] },
      span: aSpan('v1.31.0+b', 'v1.31.0+a', 'v1.31.0+b'),
      result: 'invalid workers upgrade plan, item 0; the order of version v1.31.0+c and v1.31.0+a is not known',
    },
    {
      reason: 'workers over more than three minors',
      plan: { controlPlane: ['v1.30.0', 'v1.31.0', 'v1.32.0', 'v1.33.0'], workers: ['v1.33.0'] },
      span: aSpan('v1.29.0', 'v1.29.0', 'v1.33.0'),
      result:
        'invalid workers upgrade plan, item 0; workers cannot go from minor 29 (v1.29.0) to minor 33 (v1.33.0), an intermediate step is required to comply with Kubernetes version skew rules',
    },
    {
      reason: 'workers end too early',
      plan: { controlPlane: ['v1.31.0', 'v1.32.0'], workers: ['v1.31.0'] },
      span: aSpan('v1.30.0', 'v1.30.0', 'v1.32.0'),
      result:
        'invalid workers upgrade plan; workers upgrade plan must end with version v1.32.0, ends with v1.31.0 instead',
    },
    {
      reason: 'there are no workers',
      plan: { controlPlane: ['v1.31.0'], workers: ['v1.31.0'] },
      span: aSpan('v1.30.0', '', 'v1.31.0'),
      result: 'invalid worker upgrade plan; there are no workers or workers already at the desired version',
    },
  ])('$reason', ({ plan, span, result }) => {
    const completed = completePlan(plan, span);
    expect(completed.ok ? completed.value : completed.error).toEqual(result);
  });
});
