// How far a topology is on its way to another Kubernetes version, in lines. Pure.
import { isUpgrading, upgradeExplanation } from '../../../functions/topology/conditions/cluster-upgrading.ts';
import type { Seen } from '../../../functions/topology/seen.ts';
import { toRecord } from '../../../shared/api/fields.ts';
import { readClusterTopology } from '../../../shared/topology/model/cluster-topology.ts';
import type { HookResponses } from '../../../shared/topology/model/versions.ts';

/** The steps still to come, who goes now and who waits, and what hooks said. Nothing where there is nothing to tell. */
export function stepsOfTopology(seen: Seen): readonly string[] {
  return [...versionLines(seen), ...progressLines(seen), ...hookLines(seen.responses)];
}

function versionLines({ plan }: Seen): readonly string[] {
  const line = (who: string, versions: readonly string[] = []): readonly string[] =>
    versions.length === 0 ? [] : [`upgrade of ${who}: ${versions.join(', then ')}`];
  return [...line('the control plane', plan?.controlPlane), ...line('the workers', plan?.workers)];
}

function progressLines({ cluster, upgrade, responses }: Seen): readonly string[] {
  if (upgrade === undefined || !isUpgrading(upgrade.versions)) {
    return [];
  }
  const topologyVersion = readClusterTopology(toRecord(cluster.object.spec)['topology']).version;
  const { message } = upgradeExplanation({ ...upgrade, topologyVersion, responses });
  return message.split('\n');
}

function hookLines(responses: HookResponses): readonly string[] {
  return [...responses].map(([hook, { retryAfterSeconds, message }]) => {
    const said = message === '' ? '' : `: ${message.replaceAll('\n', ' ')}`;
    return retryAfterSeconds > 0
      ? `hook ${hook} blocks, and is asked again after ${retryAfterSeconds} s${said}`
      : `hook ${hook} lets it go on${said}`;
  });
}
