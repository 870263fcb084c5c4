// The entry for tests of a provider's author: the conformance suite, and an in-memory API server to run it on.
import { randomUUID } from 'node:crypto';
import type { Intent, Kubernetes } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { createApiCore } from '@capi-serverless/apiserver/core';
import { requireCrds, toInstallable } from '../../local/crds.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import { loadCredentials } from '../../shared/kubernetes/credentials/load.ts';
import { createMemoryKubernetes } from '../../shared/kubernetes/memory/memory-kubernetes.ts';
import { createKubernetes } from '../../shared/kubernetes/rest/client.ts';

export * from '@capi-serverless/provider-sdk/testing';

export interface TestServerOptions {
  /** The definitions of the provider's kinds. The definitions of Cluster API are installed as well. */
  readonly crds: readonly Intent[];
  /** A namespace that the server creates. */
  readonly namespace: string;
}

/** Returns a client of a new API server in this process without objects. Throws if a definition is refused. */
export function createTestServer({ crds, namespace }: TestServerOptions): Kubernetes {
  const ids = { uid: () => randomUUID(), nameSuffix: () => randomUUID().slice(0, 5) };
  const core = createApiCore({ now: Date.now, ids });
  const definitions = core.registry.endpointOfKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  for (const crd of [...coreCrds, ...crds]) {
    core.create(definitions, '', crd);
  }
  const namespaces = core.registry.endpointOfKind('v1', 'Namespace');
  core.create(namespaces, '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  return createMemoryKubernetes(core);
}

export interface ConnectTestServerOptions extends TestServerOptions {
  /**
   * The path of a kubeconfig. Its user may create CustomResourceDefinitions, namespaces, Clusters and the provider's
   * objects.
   */
  readonly kubeconfig: string;
}

/**
 * Returns a client of a real API server. Creates missing definitions of Cluster API and of the provider, and the
 * namespace. They are not removed afterwards. Throws if an existing definition does not match or one is refused.
 */
export async function connectTestServer({
  kubeconfig,
  crds,
  namespace,
}: ConnectTestServerOptions): Promise<Kubernetes> {
  const credentials = await loadCredentials({ kubeconfigPath: kubeconfig });
  const kubernetes = createKubernetes({ credentials, client: 'conformance' });
  const given = crds.map(crd => {
    const checked = toInstallable(crd);
    if (!checked.ok) {
      throw new Error(`${crd.kind} ${crd.metadata.name} is not a definition: ${checked.error}`);
    }
    return checked.value;
  });
  await requireCrds(kubernetes, [...coreCrds, ...given], { clock: systemClock });
  const created = await kubernetes.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  if (!created.ok && created.failure.reason !== 'AlreadyExists') {
    throw new Error(`Namespace ${namespace} could not be created: ${created.failure.message}`);
  }
  return kubernetes;
}
