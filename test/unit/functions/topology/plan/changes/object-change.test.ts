// The writes for one object whose name never changes.

import { answered, type Intent, refused } from '@capi-serverless/apimachinery';
import { setAt } from '@capi-serverless/cluster-api/contract';
import { describe, expect, it } from 'vitest';
import {
  type ObjectChange,
  planCreation,
  planObject,
} from '../../../../../../functions/topology/plan/changes/object-change.ts';
import { answerFrom } from '../../../../../support/answered-plan.ts';
import { applied } from '../../../../../support/topology-changes.ts';

const desired: Intent = {
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmControlPlane',
  metadata: { name: 'c1-ccccc', namespace: 'ns1', labels: { a: 'b' } },
  spec: { version: 'v1.31.0' },
};
const current = applied(setAt(desired, 'spec.version', 'v1.30.0'));

/** Every dry run is accepted as it is. */
function plan(change: Partial<ObjectChange> = {}) {
  const { result, asked } = answerFrom(planObject({ desired, current, ...change }), {
    dryRun: ({ intent }) => answered(applied(intent)),
  });
  return { ...result, dryRuns: asked.map(({ about }) => about.intent) };
}

describe('an object that does not exist', () => {
  it('is created without a uid and without ignored paths', () => {
    const { steps, dryRuns } = plan({ current: undefined, must: 'strict', ignored: [['spec', 'version']] });
    expect(steps).toMatchObject([
      { action: { id: 'apply KubeadmControlPlane c1-ccccc', do: 'apply', object: { metadata: desired.metadata } } },
    ]);
    const [step] = steps;
    expect(step).not.toHaveProperty('isDisposable');
    expect(step).not.toHaveProperty('isReferrer');
    expect(step?.action).toMatchObject({ uid: undefined });
    expect(step?.action).not.toHaveProperty('object.spec.version');
    expect(dryRuns).toEqual([]);
  });

  it('has its marks and its wording', () => {
    const created = () => ({ toProblem: () => 'own words' });
    const { steps } = planCreation({ desired, isDisposable: true, isReferrer: true, created });
    expect(steps).toMatchObject([{ isDisposable: true, isReferrer: true }]);
    expect(steps[0]?.toProblem({ reason: 'Invalid', message: 'x' })).toBe('own words');
  });
});

describe('an object that exists', () => {
  it('is not planned when the change is not allowed', () => {
    const other = { ...desired, kind: 'OtherControlPlane' };
    const failure = expect.stringContaining('cannot be changed from "KubeadmControlPlane" to "OtherControlPlane"');
    expect(plan({ desired: other, must: 'strict' })).toEqual({ steps: [], failure, dryRuns: [] });
    expect(plan({ desired: other }).dryRuns).toHaveLength(2);
  });

  it('is compared without ignored paths', () => {
    const [modified, original] = plan().dryRuns;
    expect(modified).toMatchObject({ spec: { version: 'v1.31.0' } });
    expect(original).toMatchObject({ spec: { version: 'v1.30.0' } });
    for (const intent of plan({ ignored: [['spec', 'version']] }).dryRuns) {
      expect(intent).not.toHaveProperty('spec.version');
    }
  });

  it.each<{ reason: string; change: Partial<ObjectChange>; message: string }>([
    { reason: 'no path of a version', change: {}, message: 'Updated KubeadmControlPlane "ns1/c1-ccccc"' },
    {
      reason: 'a version changes',
      change: { versionAt: 'spec.version' },
      message: 'Updated KubeadmControlPlane "ns1/c1-ccccc" with version change from v1.30.0 to v1.31.0',
    },
  ])('is patched with an event: $reason', ({ change, message }) => {
    const [step] = plan(change).steps;
    expect(step?.action.toEvent?.(undefined)).toMatchObject({ reason: 'TopologyUpdate', message });
  });

  it('is patched with its uid and its marks', () => {
    expect(plan({ isReferrer: true }).steps).toMatchObject([
      { isReferrer: true, action: { do: 'apply', uid: 'uid-of-c1-ccccc', object: desired } },
    ]);
    expect(plan().steps[0]).not.toHaveProperty('isReferrer');
  });

  it('is patched with its own wording', () => {
    const patched = () => ({ toProblem: () => 'own words' });
    const [step] = plan({ patched }).steps;
    expect(step?.toProblem({ reason: 'Invalid', message: 'x' })).toBe('own words');
  });

  it('is not written when nothing differs, and is a failure when that is not known', () => {
    expect(plan({ current: applied(desired) })).toEqual({ steps: [], dryRuns: [] });
    const { result } = answerFrom(planObject({ desired, current }), {
      dryRun: () => refused({ reason: 'Invalid', message: 'no dry run' }),
    });
    expect(result).toEqual({ steps: [], failure: expect.stringMatching(/modified object: no dry run$/) });
  });
});
