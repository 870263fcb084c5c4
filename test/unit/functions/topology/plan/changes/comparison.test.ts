// Determines whether an apply changes an object, with and without dry runs.

import { answered, type Intent, invalid, refused, valid } from '@capi-serverless/apimachinery';
import { setAt } from '@capi-serverless/cluster-api/contract';
import { describe, expect, it } from 'vitest';
import { finishComparison, startComparison } from '../../../../../../functions/topology/plan/changes/comparison.ts';
import { applied } from '../../../../../support/topology-changes.ts';

const intent: Intent = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'GenericMachineTemplate',
  metadata: { name: 'm', namespace: 'ns1', labels: { a: 'b' } },
  spec: { size: 'small' },
};
const current = applied(intent);
const changed = setAt(intent, 'spec.size', 'large');
const failed = refused({ reason: 'Invalid', message: 'no such size' });
const problem = 'failed to create patch helper for GenericMachineTemplate ns1/m: server side apply dry-run failed for';

describe('the start of a comparison', () => {
  it('detects that an object is unchanged if the topology owns exactly the fields of the intent', () => {
    expect(startComparison({ intent, current })).toEqual({
      state: 'known',
      difference: { changes: false, specChanges: false },
    });
  });

  it('detects that an object changes if its owner is created in the same pass', () => {
    const owner: unknown = { apiVersion: 'v1', kind: 'Secret', name: 'c1-shim', uid: { uidOf: 'create shim' } };
    const owned = setAt(intent, 'metadata.ownerReferences', [owner]);
    expect(startComparison({ intent: owned, current })).toEqual({
      state: 'known',
      difference: { changes: true, specChanges: false },
    });
  });

  it('requires two dry runs if the read objects do not decide', () => {
    const comparison = startComparison({ intent: changed, current, ignored: [['spec', 'size']] });
    expect(comparison).toMatchObject({
      state: 'unknown',
      dryRuns: { modified: { spec: { size: 'large' } }, original: { metadata: { name: 'm' } } },
    });
    expect(comparison).not.toHaveProperty('dryRuns.original.spec.size');
  });
});

describe('the end of a comparison', () => {
  it('is the result of the two dry runs', () => {
    const answers = { modified: answered(applied(changed)), original: answered(current) };
    expect(finishComparison({ intent: changed, current }, answers)).toEqual(
      valid({ changes: true, specChanges: true }),
    );
    expect(finishComparison({ intent: changed, current, ignored: [['spec', 'size']] }, answers)).toEqual(
      valid({ changes: false, specChanges: false }),
    );
  });

  it.each([
    { reason: 'both', modified: failed, original: failed, of: 'modified' },
    { reason: 'the modified one', modified: failed, original: answered(current), of: 'modified' },
    { reason: 'the original one', modified: answered(current), original: failed, of: 'original' },
  ])('names the first dry run that was refused: $reason', ({ modified, original, of }) => {
    expect(finishComparison({ intent, current }, { modified, original })).toEqual(
      invalid(`${problem} ${of} object: no such size`),
    );
  });
});
