// The patch that sets the references of a Cluster, and the states of the Cluster that it allows.

import type { Unstructured } from '@capi-serverless/apimachinery';
import type { Outcome } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { built } from '../../../support/object-builder.ts';
import { aTopologyCluster } from '../../../support/topology-objects.ts';
import { topologyPass } from '../../../support/topology-pass.ts';

const cluster = built(aTopologyCluster());
const { resourceVersion } = cluster.metadata;

async function lockOfPatch(bookkeeping: Outcome): Promise<unknown> {
  const { actions } = await topologyPass({ cluster });
  const patch = actions.find(({ id }) => id === 'cluster');
  const lock = patch?.do === 'patch' ? patch.resourceVersion : undefined;
  return typeof lock === 'function' ? lock(new Map([['bookkeeping', bookkeeping]])) : lock;
}

function written(version: string): Unstructured {
  return { ...cluster, metadata: { ...cluster.metadata, resourceVersion: version } };
}

describe('the patch of the Cluster', () => {
  it.each<{ readonly reason: string; readonly bookkeeping: Outcome; readonly version: string }>([
    {
      reason: 'it was read, and no hook call of it was pending',
      bookkeeping: { state: 'skipped' },
      version: resourceVersion,
    },
    {
      reason: 'the bookkeeping of this pass left it',
      bookkeeping: { state: 'done', object: written('later') },
      version: 'later',
    },
    {
      reason: 'it was read, if no answer contains the rest',
      bookkeeping: { state: 'done' },
      version: resourceVersion,
    },
  ])('holds for the Cluster as $reason', async ({ bookkeeping, version }) => {
    expect(await lockOfPatch(bookkeeping)).toBe(version);
  });
});
