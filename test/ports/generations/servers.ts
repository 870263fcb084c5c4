// The common parts of the servers of this suite: the kinds of both provider generations, and a client per function.

import type { Intent, Kubernetes } from '@capi-serverless/apimachinery';
import { expect, vi } from 'vitest';
import { simulatedCrds } from '../../../local/provider/crds/index.ts';
import { coreCrds } from '../../../shared/api/crds.ts';
import type { Credentials } from '../../../shared/kubernetes/credentials/credentials.ts';
import { installDefinitions } from '../../support/install-definitions.ts';
import { legacyCrd } from '../../support/scripted-actuator.ts';
import { createTestClient } from '../../support/test-client.ts';

const legacyKinds = ['Cluster', 'Machine', 'MachineSet', 'MachineDeployment'];

export const legacyCrds: readonly Intent[] = legacyKinds.map(legacyCrd);

/** A CRD is served with a delay after it is stored. */
export async function installKinds(kubernetes: Kubernetes): Promise<void> {
  await installDefinitions(kubernetes, [...coreCrds, ...simulatedCrds]);
  for (const crd of legacyCrds) {
    await kubernetes.create(crd);
  }
  await vi.waitFor(
    async () => {
      for (const kind of legacyKinds) {
        expect(await kubernetes.list({ apiVersion: 'cluster.k8s.io/v1alpha1', kind })).toMatchObject({ ok: true });
      }
    },
    { timeout: 300_000, interval: 50 },
  );
}

/** One client per function, created on first use. */
export function createClients(credentialsOf: (client: string) => Credentials): (client: string) => Kubernetes {
  const clients = new Map<string, Kubernetes>();
  return client => {
    const made = clients.get(client) ?? createTestClient({ credentials: credentialsOf(client), client });
    clients.set(client, made);
    return made;
  };
}
