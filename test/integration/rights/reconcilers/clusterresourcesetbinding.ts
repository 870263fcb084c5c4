// Uses every permission of the ClusterResourceSetBinding role: the owner reference of an old version is removed from a
// binding, and the binding is deleted with its Cluster.

import { type ObjectRef, toRef } from '@capi-serverless/apimachinery';
import { aCluster } from '../../../support/builders.ts';
import { namespace, type RightsStage } from '../stage.ts';

const name = 'binding-rights';
const metadata = { namespace, name };

export async function scenario({ client }: RightsStage): Promise<void> {
  // A paused Cluster has no finalizer, so its deletion ends at once.
  const cluster = await client.create(aCluster().named(name).in(namespace).paused().intent());
  const owner = { apiVersion: cluster.apiVersion, kind: cluster.kind, name, uid: cluster.metadata.uid };
  const binding: ObjectRef = {
    apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
    kind: 'ClusterResourceSetBinding',
    ...metadata,
  };
  const { apiVersion, kind } = binding;
  await client.create({
    apiVersion,
    kind,
    metadata: { ...metadata, ownerReferences: [owner] },
    spec: { clusterName: name },
  });
  await client.until(binding, object => (object?.metadata.ownerReferences ?? []).length === 0);
  await client.remove(toRef(cluster));
  await client.until(binding, object => object === undefined);
}
