// The kubeconfig Secret of a Cluster that names no control plane object: made once, renewed before it expires.
import { type Cluster, clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import { type Intent, toRef } from '../../../shared/api/object.ts';
import { clusterSecretType, kubeconfigName, toSecretData } from '../../../shared/api/secret.ts';
import { isValidEndpoint } from '../../../shared/contract/endpoint.ts';
import { clusterNameLabel } from '../../../shared/contract/owner-references.ts';
import type { Action, Outcomes } from '../../../shared/kernel/types.ts';
import type { WholeView } from '../seen.ts';
import { gapMs } from './gaps.ts';
import { failureOf } from './outcomes.ts';
import { type PhaseContext, type Progress, withError, withRequeue } from './scope.ts';

export const kubeconfigActionId = 'kubeconfig';

/** No event tells of the new Secret, and the workload cluster is to be probed with it soon. */
const firstProbeMs = 10_000;

/** Written only if the Cluster has its endpoint by then. Whatever another writer put there meanwhile is left alone. */
export function kubeconfigActions(
  { cluster, kubeconfig }: WholeView,
  progressAfter: (outcomes: Outcomes) => Progress,
): readonly Action[] {
  const written = {
    id: kubeconfigActionId,
    onError: 'continue',
    when: (outcomes: Outcomes) => isValidEndpoint(progressAfter(outcomes).endpoint),
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

/** An authority that is not there yet is awaited, ever more rarely; one that cannot sign is an error. */
export function kubeconfigPhase({ seen, outcomes, now }: PhaseContext, progress: Progress): Progress {
  const { cluster, kubeconfig, settings } = seen;
  switch (kubeconfig.state) {
    case 'settled':
      return progress;
    case 'failed':
      return withError(progress, kubeconfig.error);
    case 'withoutAuthority': {
      const age = now - Date.parse(String(cluster.metadata.creationTimestamp));
      return withRequeue(progress, gapMs(age, settings.resyncPeriodMs));
    }
    case 'missing':
    case 'expiring': {
      const failure = failureOf(outcomes, kubeconfigActionId);
      if (failure !== undefined) {
        const { name, namespace } = cluster.metadata;
        const what = `Kubeconfig Secret for Cluster "${name}" in namespace "${namespace}"`;
        return withError(progress, `failed to write ${what}: ${failure.message}`);
      }
      return settings.probesRemote ? withRequeue(progress, firstProbeMs) : progress;
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
