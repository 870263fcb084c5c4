import { describe, expect, test } from 'vitest';
import { chooseContract, contractOfVersion } from '../../../../../packages/cluster-api/contract/contract-version.ts';

const v1beta2 = 'cluster.x-k8s.io/v1beta2';
const v1beta1 = 'cluster.x-k8s.io/v1beta1';
const name = 'fooclusters.infrastructure.cluster.x-k8s.io';

describe('the contract of a kind', () => {
  test.each([
    { labels: { [v1beta2]: 'v1_v1beta9_v2alpha1' }, contract: 'v1beta2', version: 'v1', reason: 'GA is greatest' },
    { labels: { [v1beta2]: 'v2_v10' }, contract: 'v1beta2', version: 'v10', reason: 'numbers compare as numbers' },
    { labels: { [v1beta2]: 'v10_v2' }, contract: 'v1beta2', version: 'v10', reason: 'the place does not matter' },
    {
      labels: { [v1beta1]: 'v1alpha4_v1beta1' },
      contract: 'v1beta1',
      version: 'v1beta1',
      reason: 'the older contract',
    },
    { labels: { [v1beta2]: '', [v1beta1]: 'v1beta1' }, contract: 'v1beta1', version: 'v1beta1', reason: 'empty: none' },
    { labels: { [v1beta1]: 'v9', [v1beta2]: 'v1' }, contract: 'v1beta2', version: 'v1', reason: 'the newer one wins' },
  ])('$labels → $contract, $version: $reason', ({ labels, contract, version }) => {
    expect(chooseContract({ name, labels })).toEqual({ ok: true, value: { contract, version } });
  });

  const error =
    'cannot find any versions matching contract versions ["v1beta2" "v1beta1"] for CRD fooclusters.infrastructure.cluster.x-k8s.io as contract version label(s) are either missing or empty (see https://cluster-api.sigs.k8s.io/developer/providers/contracts/overview.html#api-version-labels)';
  test.each([
    { crd: { name, labels: { 'cluster.x-k8s.io/v1alpha4': 'v1' } }, reason: 'only an older contract' },
    { crd: { name, labels: { [v1beta2]: '', [v1beta1]: '' } }, reason: 'empty labels' },
    { crd: { name }, reason: 'no labels' },
  ])('is not known with $reason', ({ crd }) => {
    expect(chooseContract(crd)).toEqual({ ok: false, error });
  });
});

describe('the contract of a version of a kind', () => {
  test.each([
    { labels: { [v1beta2]: 'v1_v2', [v1beta1]: 'v1beta1' }, version: 'v2', contract: 'v1beta2' },
    { labels: { [v1beta2]: 'v1_v2', [v1beta1]: 'v1beta1' }, version: 'v1beta1', contract: 'v1beta1' },
    { labels: { [v1beta1]: 'v1', [v1beta2]: 'v1' }, version: 'v1', contract: 'v1beta2' },
  ])('$labels, $version → $contract', ({ labels, version, contract }) => {
    expect(contractOfVersion({ name, labels }, version)).toEqual({ ok: true, value: contract });
  });

  test.each([
    { crd: { name, labels: { [v1beta2]: 'v10' } }, reason: 'a label that lists another one' },
    { crd: { name, labels: { 'cluster.x-k8s.io/v1alpha4': 'v1' } }, reason: 'only an older contract' },
    { crd: { name }, reason: 'no labels' },
  ])('is not known with $reason', ({ crd }) => {
    const error = `cannot find any contract version matching version v1 for CRD ${name}`;
    expect(contractOfVersion(crd, 'v1')).toEqual({ ok: false, error });
  });
});
