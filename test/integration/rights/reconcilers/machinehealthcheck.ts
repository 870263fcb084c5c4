// Uses every permission of the MachineHealthCheck role: a Machine is marked, gets a remediation request, and recovers.

import { toRef } from '@capi-serverless/apimachinery';
import { aMachine } from '../../../support/builders.ts';
import { installDefinitions } from '../../../support/install-definitions.ts';
import { staticClusterCrd, staticRemediationCrds, staticRemediationKind } from '../../../support/static-provider.ts';
import { conditionOf } from '../../../support/world-client.ts';
import { createConnectedCluster } from '../connected-cluster.ts';
import { namespace, type RightsStage } from '../stage.ts';

const name = 'check-rights';
const metadata = { namespace, name };
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
  await createConnectedCluster(stage, name);
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
