// A Cluster whose workload cluster answers, for the scenarios of roles that connect to it.
import { type Intent, type ObjectRef, toRef } from '@capi-serverless/apimachinery';
import { startApiServer } from '@capi-serverless/apiserver';
import { workloadKinds } from '@capi-serverless/apiserver/workload';
import { clusterSecretType, toSecretData } from '../../../shared/api/secret.ts';
import { aMachine } from '../../support/builders.ts';
import { aProvisionedStaticCluster, aStaticallyProvidedCluster } from '../../support/static-provider.ts';
import { conditionOf } from '../../support/world-client.ts';
import { namespace, type RightsStage } from './stage.ts';

const paused = { 'cluster.x-k8s.io/paused': '' };

/** The providerID of the Node of the Cluster with this name. */
export function providerIdOfNode(name: string): string {
  return `static://${name}`;
}

/** Creates a Cluster with an initialized control plane, whose workload cluster has one Node. All have this name. */
export async function createConnectedCluster(stage: RightsStage, name: string): Promise<ObjectRef> {
  const { client } = stage;
  const kubeconfig = await startWorkloadCluster(stage, name);
  await client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: `${name}-kubeconfig` },
    type: clusterSecretType,
    data: { value: toSecretData(kubeconfig) },
  });
  // The control plane is initialized, because a Machine of it has a Node.
  const controlPlane = aMachine().named(`${name}-cp`).in(namespace).ofCluster(name).controlPlane().annotated(paused);
  await client.create({ ...controlPlane.intent(), status: { nodeRef: { name: `${name}-cp` } } });
  await client.create(aProvisionedStaticCluster(namespace, name));
  const cluster = toRef(await client.create(aStaticallyProvidedCluster(namespace, name)));
  await client.until(cluster, object => conditionOf(object, 'ControlPlaneInitialized') === 'True');
  return cluster;
}

/** Returns its kubeconfig. */
async function startWorkloadCluster({ atEnd }: RightsStage, name: string): Promise<string> {
  const server = await startApiServer({ port: 0, kinds: workloadKinds });
  atEnd(() => server.stop());
  const { core } = server;
  const node: Intent = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    spec: { providerID: providerIdOfNode(name) },
  };
  core.create(core.registry.endpointOfKind(node.apiVersion, node.kind), '', node);
  return server.kubeconfig;
}
