// The condition TopologyReconciled. It reports whether a Cluster matches its topology, in both condition families.

import { toRecord } from '@capi-serverless/apimachinery';
import {
  type ConditionDraft,
  pausedCondition,
  type V1Beta1Draft,
  v1Beta1False,
  v1Beta1True,
} from '@capi-serverless/cluster-api/conditions';
import { type Cluster, isDefined } from '../../../shared/api/cluster/reader.ts';
import { toBlockingMessage } from '../../../shared/runtime-hooks/rules/blocks.ts';
import type { HookResponses } from '../../../shared/runtime-hooks/rules/hook.ts';
import { readClusterTopology } from '../../../shared/topology/model/cluster-topology.ts';
import type { Versions } from '../plan/upgrade/version-progress.ts';
import { isUpgrading, upgradeExplanation } from './cluster-upgrading.ts';

const topologyReconciledType = 'TopologyReconciled';

/** The outcome of one pass over a topology. */
export interface TopologyOutcome {
  /** The Cluster at the start of the pass. */
  readonly cluster: Cluster;
  /** The error of the pass, as in the condition. */
  readonly error: string | undefined;
  /** The ClusterClass was read, but its reconciler has not observed the current generation. */
  readonly isClassBehind: boolean;
  readonly responses: HookResponses;
  /** Whether AfterClusterUpgrade must still be called after this pass. */
  readonly isAfterClusterUpgradePending: boolean;
  /** Undefined if the pass ended before the versions were known. */
  readonly upgrade: { readonly versions: Versions; readonly controlPlaneKind: string } | undefined;
}

interface TopologyReconciled {
  readonly condition: ConditionDraft;
  readonly v1beta1: V1Beta1Draft;
}

/**
 * Returns the first applicable condition, in upstream's order. Returns undefined if this pass cannot determine it. Then
 * the stored conditions are kept.
 */
export function topologyReconciled(outcome: TopologyOutcome): TopologyReconciled | undefined {
  const { cluster, error, isClassBehind, responses } = outcome;
  const paused = pausedMessage(cluster);
  if (paused !== undefined) {
    return toFalse({ reason: 'Paused', message: paused });
  }
  if (error !== undefined) {
    return toFalse({
      reason: 'ReconcileFailed',
      message: error,
      v1beta1: 'TopologyReconcileFailed',
      severity: 'Error',
    });
  }
  if (cluster.metadata.deletionTimestamp !== undefined) {
    const blocking = toBlockingMessage('delete', responses);
    return toFalse({ reason: 'Deleting', message: ['Cluster is deleting', blocking].filter(isSaid).join('. ') });
  }
  if (isClassBehind) {
    return toFalse({ reason: 'ClusterClassNotReconciled', message: classBehind });
  }
  const { infrastructureRef, controlPlaneRef } = cluster.spec;
  if (!isDefined(infrastructureRef) && !isDefined(controlPlaneRef)) {
    const blocking = toBlockingMessage('Cluster topology creation', responses);
    return isSaid(blocking) ? toFalse({ reason: 'ClusterCreating', message: blocking }) : succeeded;
  }
  return whileThere(outcome);
}

function whileThere({ cluster, responses, isAfterClusterUpgradePending, upgrade }: TopologyOutcome) {
  if (upgrade === undefined) {
    return undefined;
  }
  if (!isAfterClusterUpgradePending && !isUpgrading(upgrade.versions)) {
    return succeeded;
  }
  const topologyVersion = versionOf(cluster);
  return toFalse(upgradeExplanation({ ...upgrade, topologyVersion, responses }));
}

const classBehind =
  'ClusterClass not reconciled. If this condition persists please check ClusterClass status. A ClusterClass is reconciled if' +
  '.status.observedGeneration == .metadata.generation is true. If this is not the case either ClusterClass reconciliation ' +
  'failed or the ClusterClass is paused';

const succeeded: TopologyReconciled = {
  condition: { type: topologyReconciledType, status: 'True', reason: 'ReconcileSucceeded' },
  v1beta1: v1Beta1True(topologyReconciledType),
};

interface Explanation {
  readonly reason: string;
  readonly message: string;
  /** The reason in the deprecated family, if it differs. */
  readonly v1beta1?: string;
  readonly severity?: 'Error' | 'Info';
}

function toFalse({ reason, message, v1beta1 = reason, severity = 'Info' }: Explanation): TopologyReconciled {
  return {
    condition: { type: topologyReconciledType, status: 'False', reason, message },
    v1beta1: v1Beta1False(topologyReconciledType, { reason: v1beta1, severity, message }),
  };
}

function pausedMessage({ metadata, spec }: Cluster): string | undefined {
  const { annotations } = metadata;
  const paused = pausedCondition({ kind: 'Cluster', annotations, isClusterPaused: spec.paused });
  return paused.status === 'True' ? paused.message : undefined;
}

function versionOf({ object }: Cluster): string {
  return readClusterTopology(toRecord(object.spec)['topology']).version;
}

function isSaid(text: string): boolean {
  return text !== '';
}
