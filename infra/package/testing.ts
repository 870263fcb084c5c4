// What the tests of a provider's author import: the conformance suite, and an API server in memory to run it on.
import { randomUUID } from 'node:crypto';
import { coreCrds } from '../../shared/api/crds.ts';
import type { Intent } from '../../shared/api/object.ts';
import type { Kubernetes } from '../../shared/kubernetes/port.ts';
import { createApiCore } from '../local/apiserver/core/api-core.ts';
import { createMemoryKubernetes } from '../local/apiserver/memory-kubernetes.ts';

export * from '../../shared/actuator/testing/index.ts';

export interface TestServerOptions {
  /** Of the provider's kinds; those of Cluster API are there. */
  readonly crds: readonly Intent[];
  /** It exists then. */
  readonly namespace: string;
}

/** A client of a new API server in this process, which holds no objects yet. Throws when a definition is refused. */
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
