// The writes for one object, before and after the comparison.

import { type Intent, invalid, valid } from '@capi-serverless/apimachinery';
import { setAt } from '@capi-serverless/cluster-api/contract';
import { describe, expect, it } from 'vitest';
import {
  finishObject,
  type ObjectChange,
  planCreation,
  startObject,
} from '../../../../../../functions/topology/plan/changes/object-change.ts';
import { applied } from '../../../../../support/topology-changes.ts';

const desired: Intent = {
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmControlPlane',
  metadata: { name: 'c1-ccccc', namespace: 'ns1' },
  spec: { version: 'v1.31.0' },
};
const current = applied(setAt(desired, 'spec.version', 'v1.30.0'));

function openChange(change: Partial<ObjectChange> = {}) {
  const started = startObject({ desired, current, ...change });
  if (started.state !== 'compare') {
    throw new Error('Expected a comparison');
  }
  return started.change;
}

describe('an object that does not exist', () => {
  it('is created without a uid and without ignored paths', () => {
    const started = startObject({ desired, current: undefined, must: 'strict', ignored: [['spec', 'version']] });
    expect(started).toMatchObject({
      state: 'planned',
      plan: {
        steps: [
          { action: { id: 'apply KubeadmControlPlane c1-ccccc', do: 'apply', object: { metadata: desired.metadata } } },
        ],
      },
    });
    const [step] = started.state === 'planned' ? started.plan.steps : [];
    expect(step).not.toHaveProperty('isDisposable');
    expect(step).not.toHaveProperty('isReferrer');
    expect(step?.action).toMatchObject({ uid: undefined });
    expect(step?.action).not.toHaveProperty('object.spec.version');
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
    expect(startObject({ desired: other, current, must: 'strict' })).toEqual({
      state: 'planned',
      plan: { steps: [], failure },
    });
    expect(startObject({ desired: other, current })).toMatchObject({ state: 'compare' });
  });

  it('is compared without ignored paths', () => {
    expect(openChange().compared).toEqual({ intent: desired, current });
    const { compared } = openChange({ ignored: [['spec', 'version']] });
    expect(compared.ignored).toEqual([['spec', 'version']]);
    expect(compared.intent).not.toHaveProperty('spec.version');
  });

  it.each<{ reason: string; change: Partial<ObjectChange>; message: string }>([
    { reason: 'no path of a version', change: {}, message: 'Updated KubeadmControlPlane "ns1/c1-ccccc"' },
    {
      reason: 'a version changes',
      change: { versionAt: 'spec.version' },
      message: 'Updated KubeadmControlPlane "ns1/c1-ccccc" with version change from v1.30.0 to v1.31.0',
    },
  ])('is patched with an event: $reason', ({ change, message }) => {
    const plan = finishObject(openChange(change), valid({ changes: true, specChanges: true }));
    expect(plan.steps[0]?.action.toEvent?.(undefined)).toMatchObject({ reason: 'TopologyUpdate', message });
  });

  it('is patched with its uid and its marks', () => {
    const plan = finishObject(openChange({ isReferrer: true }), valid({ changes: true, specChanges: false }));
    expect(plan).toMatchObject({ steps: [{ isReferrer: true, action: { do: 'apply', uid: 'uid-of-c1-ccccc' } }] });
    expect(finishObject(openChange(), valid({ changes: true, specChanges: false })).steps[0]).not.toHaveProperty(
      'isReferrer',
    );
  });

  it('is patched with its own wording', () => {
    const patched = () => ({ toProblem: () => 'own words' });
    const plan = finishObject(openChange({ patched }), valid({ changes: true, specChanges: true }));
    expect(plan.steps[0]?.toProblem({ reason: 'Invalid', message: 'x' })).toBe('own words');
  });

  it('is not written when nothing differs, and is a failure when that is not known', () => {
    expect(finishObject(openChange(), valid({ changes: false, specChanges: false }))).toEqual({ steps: [] });
    expect(finishObject(openChange(), invalid('no dry run'))).toEqual({ steps: [], failure: 'no dry run' });
  });
});
