import { toRef, valueAt } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { seed } from '../../../../cli/plan/files.ts';
import { plannables } from '../../../../cli/plan/registry.ts';
import { aCluster } from '../../../support/builders.ts';
import { ObjectBuilder, testStart } from '../../../support/object-builder.ts';

const finalizer = 'cluster.cluster.x-k8s.io';
const settled = aCluster()
  .withFinalizers(finalizer)
  .withCondition('Paused', { status: 'False', reason: 'NotPaused', observedGeneration: 1 })
  .infrastructureProvisioned()
  .withEndpoint('127.0.0.1', 1);
const secret = {
  ...new ObjectBuilder({ apiVersion: 'v1', kind: 'Secret', name: 'c1-kubeconfig' }).build(),
  data: { value: btoa('a kubeconfig that must not be used') },
};

it.each([
  { reason: 'it was reached', status: 'True', taken: 'assumed to answer', after: 'True' },
  { reason: 'it was not', status: 'False', taken: 'assumed not to answer', after: 'False' },
] as const)('takes the workload cluster as its Cluster reported: $reason', async ({ status, taken, after }) => {
  const cluster = settled.withCondition('RemoteConnectionProbe', { status }).build();
  const { kubernetes } = seed([cluster, secret], testStart);
  const [plannable] = plannables.filter(({ declaration }) => declaration.name === 'cluster');
  const plan = await plannable?.plan({
    reads: kubernetes,
    ref: toRef(cluster),
    now: testStart,
    callHooks: false,
    probeWorkloads: false,
  });
  expect(plan?.questions).toEqual([
    `the workload cluster for a probe, with the kubeconfig in Secret ns/c1-kubeconfig; ${taken}, as condition RemoteConnectionProbe says`,
  ]);
  const conditions = valueAt(plan?.passes.at(-1)?.status?.after, 'status.conditions');
  expect(conditions).toContainEqual(expect.objectContaining({ type: 'RemoteConnectionProbe', status: after }));
});
