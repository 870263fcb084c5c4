// Uses every permission of the MachineHealthCheck role: a Machine is marked, gets a remediation request, and recovers.

import { type Intent, toRef } from '@capi-serverless/apimachinery';
import { startApiServer } from '@capi-serverless/apiserver';
import { workloadKinds } from '@capi-serverless/apiserver/workload';
import { clusterSecretType, toSecretData } from '../../../../shared/api/secret.ts';
import { aMachine } from '../../../support/builders.ts';
import { installDefinitions } from '../../../support/install-definitions.ts';
import {
  aProvisionedStaticCluster,
  aStaticallyProvidedCluster,
  staticClusterCrd,
  staticRemediationCrds,
  staticRemediationKind,
} from '../../../support/static-provider.ts';
import { conditionOf } from '../../../support/world-client.ts';
import { namespace, type RightsStage } from '../stage.ts';

const name = 'check-rights';
const metadata = { namespace, name };
const paused = { 'cluster.x-k8s.io/paused': '' };
const remediate = 'cluster.x-k8s.io/remediate-machine';
const templateRef = {
  apiVersion: staticRemediationKind.apiVersion,
  kind: `${staticRemediationKind.kind}Template`,
  name,
};

export async function scenario(stage: RightsStage): Promise<void> {
  const { client } = stage;
  const definitions = [staticClusterCrd, ...staticRemediationCrds] as unknown as Parameters<
    typeof installDefinitions
  >[1]; // true: they are definitions
  await installDefinitions(client.kubernetes, definitions);
  await createCluster(stage, await startWorkloadCluster(stage));
  await client.create({ ...templateRef, metadata, spec: { template: { spec: {} } } });
  const machine = aMachine()
    .named(name)
    .in(namespace)
    .ofCluster(name)
    .annotated({ [remediate]: '' })
    .intent();
  const created = await client.create({ ...machine, status: { nodeRef: { name } } });
  await client.create({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineHealthCheck',
    metadata,
    spec: {
      clusterName: name,
      selector: { matchLabels: { 'cluster.x-k8s.io/cluster-name': name } },
      remediation: { templateRef },
    },
  });
  const request = { ...staticRemediationKind, ...metadata };
  await client.until(request, object => object !== undefined);
  await client.until(toRef(created), object => conditionOf(object, 'HealthCheckSucceeded') === 'False');
  await client.patch(toRef(created), { metadata: { annotations: { [remediate]: null } } });
  await client.until(request, object => object === undefined);
}

/** A workload cluster with one Node. Returns its kubeconfig. */
async function startWorkloadCluster({ atEnd }: RightsStage): Promise<string> {
  const server = await startApiServer({ port: 0, kinds: workloadKinds });
  atEnd(() => server.stop());
  const { core } = server;
  const node: Intent = { apiVersion: 'v1', kind: 'Node', metadata: { name } };
  core.create(core.registry.endpointOfKind(node.apiVersion, node.kind), '', node);
  return server.kubeconfig;
}

/** Its control plane is initialized, because a Machine of it has a Node. */
async function createCluster({ client }: RightsStage, kubeconfig: string): Promise<void> {
  await client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: `${name}-kubeconfig` },
    type: clusterSecretType,
    data: { value: toSecretData(kubeconfig) },
  });
  const controlPlane = aMachine().named(`${name}-cp`).in(namespace).ofCluster(name).controlPlane().annotated(paused);
  await client.create({ ...controlPlane.intent(), status: { nodeRef: { name: `${name}-cp` } } });
  await client.create(aProvisionedStaticCluster(namespace, name));
  const cluster = await client.create(aStaticallyProvidedCluster(namespace, name));
  await client.until(toRef(cluster), object => conditionOf(object, 'ControlPlaneInitialized') === 'True');
}
