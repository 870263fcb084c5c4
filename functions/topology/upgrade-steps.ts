// The progress of a topology's upgrade, as lines of text. Pure.

import { toRecord } from '@capi-serverless/apimachinery';
import type { HookResponses } from '../../shared/runtime-hooks/rules/hook.ts';
import { readClusterTopology } from '../../shared/topology/model/cluster-topology.ts';
import { isUpgrading, upgradeExplanation } from './conditions/cluster-upgrading.ts';
import type { TopologySeen } from './seen.ts';

/**
 * Returns the remaining steps, the parts in progress, the waiting parts, and the responses of hooks. Empty without an
 * upgrade.
 */
export function stepsOfTopology(seen: TopologySeen): readonly string[] {
  return [...versionLines(seen), ...progressLines(seen), ...hookLines(seen.responses)];
}

function versionLines({ plan }: TopologySeen): readonly string[] {
  const line = (part: string, versions: readonly string[] = []): readonly string[] =>
    versions.length === 0 ? [] : [`upgrade of ${part}: ${versions.join(', then ')}`];
  return [...line('the control plane', plan?.controlPlane), ...line('the workers', plan?.workers)];
}

function progressLines({ cluster, upgrade, responses }: TopologySeen): readonly string[] {
  if (upgrade === undefined || !isUpgrading(upgrade.versions)) {
    return [];
  }
  const topologyVersion = readClusterTopology(toRecord(cluster.object.spec)['topology']).version;
  const { message } = upgradeExplanation({ ...upgrade, topologyVersion, responses });
  return message.split('\n');
}

function hookLines(responses: HookResponses): readonly string[] {
  return [...responses].map(([hook, { retryAfterSeconds, message }]) => {
    const suffix = message === '' ? '' : `: ${message.replaceAll('\n', ' ')}`;
    return retryAfterSeconds > 0
      ? `hook ${hook} blocks, and is called again after ${retryAfterSeconds} s${suffix}`
      : `hook ${hook} does not block${suffix}`;
  });
}
