// A management cluster in memory: definitions, namespaces, roles, and what an installation of upstream has besides.
import type { Intent, Kubernetes } from '@capi-serverless/apimachinery';
import { type ApiCore, createApiCore } from '@capi-serverless/apiserver/core';
import { convertedVersions } from '../../../../local/converted-versions.ts';
import { coreKind, plainVersion } from '../../../../packages/apiserver/core/built-in-kind.ts';
import { createMemoryKubernetes } from '../../../../shared/kubernetes/memory/memory-kubernetes.ts';
import { createFaultyKubernetes, type FaultyKubernetes } from '../../../support/faulty-kubernetes.ts';
import { countingIds, installCrd } from '../../../support/memory-api.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

const free = { 'x-kubernetes-preserve-unknown-fields': true };
const members = ['rules', 'roleRef', 'subjects', 'aggregationRule', 'automountServiceAccountToken', 'spec', 'webhooks'];
const schema = { type: 'object', properties: Object.fromEntries(members.map(member => [member, free])) };

function kindOf(group: string, kind: string, namespaced: boolean) {
  const versions = plainVersion(schema);
  return coreKind(kind, `${kind.toLowerCase()}s`, { group, namespaced, versions });
}

const roles = 'rbac.authorization.k8s.io';
const admission = 'admissionregistration.k8s.io';

const webhookKinds = [
  kindOf(admission, 'MutatingWebhookConfiguration', false),
  kindOf(admission, 'ValidatingWebhookConfiguration', false),
];

const usualKinds = [
  kindOf(roles, 'ClusterRole', false),
  kindOf(roles, 'ClusterRoleBinding', false),
  kindOf(roles, 'RoleBinding', true),
  kindOf('', 'ServiceAccount', true),
  kindOf('apps', 'Deployment', true),
];

interface ServedParts {
  /** Whether configurations of webhooks are served. Default: true. */
  readonly webhooks?: boolean;
}

export interface MemoryCluster {
  readonly core: ApiCore;
  readonly kubernetes: Kubernetes;
  /** Scripts failures of `kubernetes`. */
  readonly fail: FaultyKubernetes['fail'];
  /** Stores an object. Rejects if it is refused. */
  given(object: Intent): Promise<void>;
}

/** Creates a management cluster with these definitions. */
export function createMemoryCluster(
  crds: readonly Intent[] = [],
  { webhooks = true }: ServedParts = {},
): MemoryCluster {
  const clock = new SteppedClock();
  const kinds = [...usualKinds, ...(webhooks ? webhookKinds : [])];
  const core = createApiCore({ now: () => clock.now(), ids: countingIds(), conversion: convertedVersions, kinds });
  for (const crd of crds) {
    installCrd(core, crd);
  }
  const { kubernetes, fail } = createFaultyKubernetes(createMemoryKubernetes(core, { clock }));
  return {
    core,
    kubernetes,
    fail,
    async given(object) {
      const answer = await kubernetes.create(object);
      if (!answer.ok) {
        throw new Error(answer.failure.message);
      }
    },
  };
}
