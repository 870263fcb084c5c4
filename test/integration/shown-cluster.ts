// The Cluster of a local run that tests look at, with three workers.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Intent } from '@capi-serverless/apimachinery';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { parseManifests } from '../../local/manifests.ts';
import type { WorldClient } from '../support/world-client.ts';

const classFile = 'examples/topology/cluster-class.yaml';

export const aShownCluster = (version: string): Intent => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name: 'shown', namespace: 'default' },
  spec: {
    topology: {
      classRef: { name: 'simulated' },
      version,
      controlPlane: { replicas: 1 },
      workers: { machineDeployments: [{ class: 'worker', name: 'front', replicas: 3 }] },
    },
  },
});

/** Creates the class of the example, and the Cluster. */
export async function createShownCluster({ create }: WorldClient, version: string): Promise<void> {
  for (const object of parseManifests(readFileSync(path.join(projectRoot, classFile), 'utf8'), classFile)) {
    await create(object);
  }
  await create(aShownCluster(version));
}
