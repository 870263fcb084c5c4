import { answered } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { followKind } from '../../../../local/view/follow-kind.ts';
import { aCluster } from '../../../support/builders.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

it('reports nothing of a list that is answered after the abort', async () => {
  const stopping = new AbortController();
  const reported: string[] = [];
  await followKind({
    query: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', as: 'object' },
    watches: {
      page: async () => {
        stopping.abort();
        return answered({ items: [aCluster().build()], resourceVersion: '1' });
      },
      watch: () => {
        throw new Error('There is nothing to watch');
      },
    },
    clock: new SteppedClock(),
    signal: stopping.signal,
    onObject: name => reported.push(name),
    onGone: name => reported.push(`gone ${name}`),
    onListed: () => reported.push('listed'),
  });
  expect(reported).toEqual([]);
});
