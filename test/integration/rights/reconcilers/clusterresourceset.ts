// Uses every permission of the ClusterResourceSet role: resources are applied to a workload cluster, changed, and the
// set is deleted.

import { type Intent, type ObjectRef, toRef, valueAt } from '@capi-serverless/apimachinery';
import { toSecretData } from '../../../../shared/api/secret.ts';
import { installDefinitions } from '../../../support/install-definitions.ts';
import { staticClusterCrd } from '../../../support/static-provider.ts';
import { conditionOf } from '../../../support/world-client.ts';
import { createConnectedCluster } from '../connected-cluster.ts';
import { namespace, type RightsStage } from '../stage.ts';

const name = 'resource-rights';
const metadata = { namespace, name };
const selected = { of: name };
const apiVersion = 'addons.cluster.x-k8s.io/v1beta2';
const binding: ObjectRef = { apiVersion, kind: 'ClusterResourceSetBinding', ...metadata };

const aDocument = (data: Readonly<Record<string, string>>): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'applied' }, data });

const secretList: Intent = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata,
  type: 'addons.cluster.x-k8s.io/resource-set',
  data: { one: toSecretData(aDocument({ from: 'Secret' })) },
};

export async function scenario(stage: RightsStage): Promise<void> {
  const { client } = stage;
  const definitions = [staticClusterCrd] as unknown as Parameters<typeof installDefinitions>[1]; // true: it is a definition
  await installDefinitions(client.kubernetes, definitions);
  const cluster = await createConnectedCluster(stage, name);
  await client.create(secretList);
  const list = await client.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata,
    data: { one: aDocument({ from: 'ConfigMap' }) },
  });
  const resources = [
    { kind: 'ConfigMap', name },
    { kind: 'Secret', name },
  ];
  const set = toRef(
    await client.create({
      apiVersion,
      kind: 'ClusterResourceSet',
      metadata,
      spec: { clusterSelector: { matchLabels: selected }, strategy: 'Reconcile', resources },
    }),
  );
  await client.patch(cluster, { metadata: { labels: selected } });
  await client.until(set, object => conditionOf(object, 'ResourcesApplied') === 'True');
  const applied = await client.until(binding, object => object !== undefined);
  await client.patch(toRef(list), { data: { one: aDocument({ from: 'the changed ConfigMap' }) } });
  const bindingsOf = (object: unknown): string => JSON.stringify(valueAt(object, 'spec.bindings'));
  await client.until(binding, object => bindingsOf(object) !== bindingsOf(applied));
  await client.remove(set);
  await client.until(set, object => object === undefined);
  await client.until(binding, object => object === undefined);
}
