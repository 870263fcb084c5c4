// TopologyReconciled: whether a Cluster is as its topology says, in both condition families.
import { type Cluster, isDefined } from '../../../shared/api/cluster/reader.ts';
import { toRecord } from '../../../shared/api/fields.ts';
import type { ConditionDraft, V1Beta1Draft } from '../../../shared/conditions/condition.ts';
import { pausedCondition } from '../../../shared/conditions/paused.ts';
import { v1Beta1False, v1Beta1True } from '../../../shared/conditions/v1beta1.ts';
import { toBlockingMessage } from '../../../shared/runtime-hooks/rules/blocks.ts';
import { readClusterTopology } from '../../../shared/topology/model/cluster-topology.ts';
import type { HookResponses, Versions } from '../../../shared/topology/model/versions.ts';
import { isUpgrading, upgradeExplanation } from './cluster-upgrading.ts';

export const topologyReconciledType = 'TopologyReconciled';

/** What one pass over a topology came to. */
export interface TopologyOutcome {
  /** As it was when the pass began. */
  readonly cluster: Cluster;
  /** Why the pass failed; whole, as it is told. */
  readonly error: string | undefined;
  /** The ClusterClass was read, and its own reconciler has not seen its present generation. */
  readonly isClassBehind: boolean;
  readonly responses: HookResponses;
  /** Whether AfterClusterUpgrade is still to be called after this pass. */
  readonly isAfterClusterUpgradePending: boolean;
  /** Undefined: the pass ended before anybody knew. */
  readonly upgrade: { readonly versions: Versions; readonly controlPlaneKind: string } | undefined;
}

export interface TopologyReconciled {
  readonly condition: ConditionDraft;
  readonly v1beta1: V1Beta1Draft;
}

/** The first that holds, as upstream tells it; undefined: nobody knows, and the conditions stay as they are. */
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
  /** The reason in the deprecated family, where it has another name. */
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
  const paused = pausedCondition({ kind: 'Cluster', annotations, isSpecPaused: spec.paused });
  return paused.status === 'True' ? paused.message : undefined;
}

function versionOf({ object }: Cluster): string {
  return readClusterTopology(toRecord(object.spec)['topology']).version;
}

function isSaid(text: string): boolean {
  return text !== '';
}
