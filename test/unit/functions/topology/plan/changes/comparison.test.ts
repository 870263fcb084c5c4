// Determines whether an apply changes an object, with and without dry runs.

import {
  type Answer,
  answered,
  type Intent,
  invalid,
  refused,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import { setAt } from '@capi-serverless/cluster-api/contract';
import { describe, expect, it } from 'vitest';
import { findDifference } from '../../../../../../functions/topology/plan/changes/comparison.ts';
import { answerFrom } from '../../../../../support/answered-plan.ts';
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

/** The first dry run is that of the modified object. */
function compare(compared: Parameters<typeof findDifference>[0], answers: readonly Answer<Unstructured>[] = []) {
  const left = [...answers];
  const { result, asked } = answerFrom(findDifference(compared), { dryRun: () => left.shift() ?? failed });
  return { result, dryRuns: asked.map(({ about }) => about) };
}

describe('a comparison without dry runs', () => {
  it('detects that an object is unchanged if the topology owns exactly the fields of the intent', () => {
    expect(compare({ intent, current })).toEqual({
      result: valid({ changes: false, specChanges: false }),
      dryRuns: [],
    });
  });

  it('detects that an object changes if its owner is created in the same pass', () => {
    const owner: unknown = { apiVersion: 'v1', kind: 'Secret', name: 'c1-shim', uid: { uidOf: 'create shim' } };
    const owned = setAt(intent, 'metadata.ownerReferences', [owner]);
    expect(compare({ intent: owned, current })).toEqual({
      result: valid({ changes: true, specChanges: false }),
      dryRuns: [],
    });
  });
});

describe('a comparison with dry runs', () => {
  const answers = [answered(applied(changed)), answered(current)];

  it('sends two of them, for the uid of the current object, if the read objects do not decide', () => {
    const { dryRuns } = compare({ intent: changed, current, ignored: [['spec', 'size']] }, answers);
    const options = { fieldManager: 'capi-topology', force: true, uid: 'uid-of-m' };
    expect(dryRuns).toMatchObject([
      { intent: { spec: { size: 'large' } }, options },
      { intent: { metadata: { name: 'm' } }, options },
    ]);
    expect(dryRuns[1]).not.toHaveProperty('intent.spec.size');
  });

  it('has their result', () => {
    expect(compare({ intent: changed, current }, answers).result).toEqual(valid({ changes: true, specChanges: true }));
    expect(compare({ intent: changed, current, ignored: [['spec', 'size']] }, answers).result).toEqual(
      valid({ changes: false, specChanges: false }),
    );
  });

  it.each([
    { reason: 'both', modified: failed, original: failed, of: 'modified' },
    { reason: 'the modified one', modified: failed, original: answered(current), of: 'modified' },
    { reason: 'the original one', modified: answered(current), original: failed, of: 'original' },
  ])('names the first dry run that was refused: $reason', ({ modified, original, of }) => {
    expect(compare({ intent: changed, current }, [modified, original]).result).toEqual(
      invalid(`${problem} ${of} object: no such size`),
    );
  });
});
