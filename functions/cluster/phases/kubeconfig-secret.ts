// Manages the kubeconfig Secret of a Cluster without a control plane object. It is created once and renewed before it
// expires.

import { type Instant, type Intent, toRef } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import { getCondition } from '@capi-serverless/cluster-api/conditions';
import { clusterNameLabel, isValidEndpoint } from '@capi-serverless/cluster-api/contract';
import { type Action, concluded, type Outcomes } from '@capi-serverless/reconciler';
import { type Cluster, clusterApiVersion, isDefined } from '../../../shared/api/cluster/reader.ts';
import { clusterSecretType, kubeconfigName, toSecretData } from '../../../shared/api/secret.ts';
import type { ObservedCluster } from '../seen.ts';
import { isControlPlaneMachine } from './descendants.ts';
import { endpointAfter, type PlannedEndpoint } from './endpoint.ts';
import { gapMs, secretGapMs } from './gaps.ts';
import type { ClusterPassChange, ClusterPhase } from './pass-progress.ts';
import type { PhaseScope } from './scope.ts';

export const kubeconfigActionId = 'kubeconfig';

/** A new Secret sends no event, so a timer requests the first probe. */
const firstProbeMs = 1_000;

/** Other processes and providers write times. A time that is further ahead of this clock is ignored. */
const mostSkewMs = 30_000;

/**
 * If the certificate authority is missing, the pass waits with growing intervals. If the authority cannot sign, the
 * pass fails.
 */
export function kubeconfigPhase({ seen, now, externals }: PhaseScope): ClusterPhase {
  const { cluster, kubeconfig } = seen;
  switch (kubeconfig.state) {
    case 'settled':
      return concluded();
    case 'failed':
      return concluded({ errors: [kubeconfig.error] });
    case 'withoutAuthority':
      return concluded({ requeues: [authorityGapMs(seen, now)] });
    case 'missing':
      return writtenPhase(seen, {
        ...writtenWith(externals.endpoint),
        do: 'create',
        object: toSecret(cluster, kubeconfig.text),
        ours: () => true,
      });
    case 'expiring':
      return writtenPhase(seen, {
        ...writtenWith(externals.endpoint),
        do: 'patch',
        ref: toRef(kubeconfig.secret),
        body: { data: { value: toSecretData(kubeconfig.text) } },
        resourceVersion: kubeconfig.secret.metadata.resourceVersion,
      });
  }
}

/**
 * The Secret is written only if the Cluster has an endpoint after this pass. If another writer creates the Secret
 * first, it is kept.
 */
function writtenWith(endpoint: PlannedEndpoint) {
  return {
    id: kubeconfigActionId,
    onError: 'continue',
    when: (outcomes: Outcomes) => isValidEndpoint(endpointAfter(endpoint, outcomes)),
  } as const;
}

function writtenPhase({ cluster, settings }: ObservedCluster, action: Action): ClusterPhase {
  const { name, namespace } = cluster.metadata;
  const what = `Kubeconfig Secret for Cluster "${name}" in namespace "${namespace}"`;
  const change: ClusterPassChange = settings.probesRemote ? { requeues: [firstProbeMs] } : {};
  return {
    actions: [action],
    steps: [{ change, needs: [{ id: kubeconfigActionId, problem: `failed to write ${what}` }] }],
  };
}

/**
 * Returns the milliseconds until the next reconcile of a Cluster whose control plane provider has not created the
 * kubeconfig. `undefined` before the control plane is initialized, because that event reconciles the Cluster.
 */
export function kubeconfigGapMs({ cluster, settings }: ObservedCluster, now: Instant): number | undefined {
  const { spec, status, metadata } = cluster;
  if (!isDefined(spec.controlPlaneRef) || !status.initialization.controlPlaneInitialized) {
    return undefined;
  }
  const initialized = getCondition(status.conditions, 'ControlPlaneInitialized');
  const since = latestOf([metadata.creationTimestamp, initialized?.lastTransitionTime], now);
  return secretGapMs(now - since, settings.resyncPeriodMs);
}

/** The gaps are short after the first control plane Machine, because its bootstrap provider creates the authority. */
function authorityGapMs({ cluster, lists, settings }: ObservedCluster, now: Instant): number {
  const { metadata, status } = cluster;
  const machines = lists.machines.ok ? lists.machines.value.filter(isControlPlaneMachine) : [];
  if (machines.length === 0) {
    return gapMs(now - latestOf([metadata.creationTimestamp], now), settings.resyncPeriodMs);
  }
  const [first] = machines.map(machine => machine.metadata.creationTimestamp).toSorted();
  const ready = getCondition(status.conditions, 'InfrastructureReady');
  const since = latestOf([metadata.creationTimestamp, ready?.lastTransitionTime, first], now);
  return secretGapMs(now - since, settings.resyncPeriodMs);
}

/** Returns NaN if none of the times can be read. */
function latestOf(times: readonly (string | undefined)[], now: Instant): Instant {
  const past = times.map(text => instantOf(text) ?? Number.NaN).filter(at => at - now <= mostSkewMs);
  return past.length === 0 ? Number.NaN : Math.max(...past);
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
