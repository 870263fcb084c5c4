// Manages the kubeconfig Secret of a Cluster without a control plane object. It is created once and renewed before it
// expires.

import { type Intent, toRef } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import { clusterNameLabel, isValidEndpoint } from '@capi-serverless/cluster-api/contract';
import type { Action, Outcomes } from '@capi-serverless/reconciler';
import { type Cluster, clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import { clusterSecretType, kubeconfigName, toSecretData } from '../../../shared/api/secret.ts';
import type { ObservedCluster } from '../seen.ts';
import { type EndpointPlan, endpointAfter } from './endpoint.ts';
import { gapMs } from './gaps.ts';
import type { PhaseScope } from './scope.ts';
import { always, failedStep, noChange, type PhaseStep } from './step.ts';

export const kubeconfigActionId = 'kubeconfig';

/** A new Secret sends no event, so a timer requests the first probe. */
const firstProbeMs = 10_000;

/**
 * The Secret is written only if the Cluster has an endpoint after this pass. If another writer creates the Secret
 * first, it is kept.
 */
export function kubeconfigActions({ cluster, kubeconfig }: ObservedCluster, endpoint: EndpointPlan): readonly Action[] {
  const written = {
    id: kubeconfigActionId,
    onError: 'continue',
    when: (outcomes: Outcomes) => isValidEndpoint(endpointAfter(endpoint, outcomes)),
  } as const;
  switch (kubeconfig.state) {
    case 'settled':
    case 'failed':
    case 'withoutAuthority':
      return [];
    case 'missing':
      return [{ ...written, do: 'create', object: toSecret(cluster, kubeconfig.text), ours: () => true }];
    case 'expiring':
      return [
        {
          ...written,
          do: 'patch',
          ref: toRef(kubeconfig.secret),
          body: { data: { value: toSecretData(kubeconfig.text) } },
          resourceVersion: kubeconfig.secret.metadata.resourceVersion,
        },
      ];
  }
}

/**
 * If the certificate authority is missing, the pass waits with growing intervals. If the authority cannot sign, the
 * pass fails.
 */
export function kubeconfigStep({ seen, now }: Pick<PhaseScope, 'seen' | 'now'>): PhaseStep {
  const { cluster, kubeconfig, settings } = seen;
  switch (kubeconfig.state) {
    case 'settled':
      return noChange;
    case 'failed':
      return failedStep(kubeconfig.error);
    case 'withoutAuthority': {
      const age = now - (instantOf(cluster.metadata.creationTimestamp) ?? Number.NaN);
      return always({ requeues: [gapMs(age, settings.resyncPeriodMs)] });
    }
    case 'missing':
    case 'expiring': {
      const { name, namespace } = cluster.metadata;
      const what = `Kubeconfig Secret for Cluster "${name}" in namespace "${namespace}"`;
      return {
        change: settings.probesRemote ? { requeues: [firstProbeMs] } : {},
        needs: [{ id: kubeconfigActionId, problem: `failed to write ${what}` }],
      };
    }
  }
}

function toSecret(cluster: Cluster, text: string): Intent {
  const { name, namespace, uid } = cluster.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: kubeconfigName(cluster),
      namespace,
      labels: { [clusterNameLabel]: name },
      ownerReferences: [{ apiVersion: clusterApiVersion, kind: 'Cluster', name, uid }],
    },
    type: clusterSecretType,
    data: { value: toSecretData(text) },
  };
}
