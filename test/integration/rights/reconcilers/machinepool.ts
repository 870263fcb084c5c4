// Uses every permission of the MachinePool role: a pool whose provider represents its machine by an object gets a Machine
// and a Node, and is deleted.

import { type ObjectRef, toRef, valueAt } from '@capi-serverless/apimachinery';
import { aMachinePool } from '../../../support/builders.ts';
import { installDefinitions } from '../../../support/install-definitions.ts';
import {
  staticClusterCrd,
  staticConfigKind,
  staticMachineCrds,
  staticMachineKind,
  staticPoolCrd,
  staticPoolKind,
} from '../../../support/static-provider.ts';
import { createConnectedCluster, providerIdOfNode } from '../connected-cluster.ts';
import { namespace, type RightsStage } from '../stage.ts';

const name = 'pool-rights';
const metadata = { namespace, name };
const labels = { 'cluster.x-k8s.io/cluster-name': name, 'cluster.x-k8s.io/pool-name': name };
const providerID = providerIdOfNode(name);
const initialization = { provisioned: true, dataSecretCreated: true };

export async function scenario(stage: RightsStage): Promise<void> {
  const { client } = stage;
  const definitions = [staticClusterCrd, staticPoolCrd, ...staticMachineCrds] as unknown as Parameters<
    typeof installDefinitions
  >[1]; // true: they are definitions
  await installDefinitions(client.kubernetes, definitions);
  await createConnectedCluster(stage, name);
  await client.create({
    ...staticMachineKind,
    metadata: { ...metadata, labels },
    spec: { providerID },
    status: { initialization },
  });
  await client.create({ ...staticConfigKind, metadata, status: { initialization, dataSecretName: name } });
  await client.create({
    ...staticPoolKind,
    metadata,
    spec: { providerIDList: [providerID] },
    status: { initialization, replicas: 1, infrastructureMachineKind: staticMachineKind.kind },
  });
  const pool = await createPool(stage);
  await client.until(pool, object => valueAt(object?.status, 'nodeRefs') !== undefined);
  await client.remove(pool);
  await client.until(pool, object => object === undefined);
}

async function createPool({ client }: RightsStage): Promise<ObjectRef> {
  const pool = aMachinePool().named(name).in(namespace).ofCluster(name).withReplicas(1);
  const template = {
    spec: {
      clusterName: name,
      bootstrap: { configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: staticConfigKind.kind, name } },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: staticPoolKind.kind, name },
    },
  };
  return toRef(await client.create(pool.withSpec({ template }).intent()));
}
