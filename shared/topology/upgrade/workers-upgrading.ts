// Determines whether workers still run another Kubernetes version than the desired one, based on their Machines or
// Nodes.

import { type Checked, invalid, matchesLabels, type Unstructured, valid } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { listOf, section, textMap } from '../../api/fields.ts';
import type { Machine } from '../../api/machine/reader.ts';
import { workerVersion } from './worker-version.ts';

const selector = section({
  matchLabels: textMap,
  matchExpressions: listOf(
    z.object({ key: z.string(), operator: z.string(), values: z.catch(z.array(z.string()), []) }),
  ),
});
const selecting = section({ selector });
const pool = section({ nodeRefs: listOf(z.object({ name: z.string() })) });

/**
 * Returns names of MachineDeployments. `machines` contains all Machines of the Cluster. The selector of each
 * MachineDeployment is applied.
 */
export function upgradingMachineDeployments(
  deployments: readonly Unstructured[],
  machines: readonly Machine[],
): Checked<ReadonlySet<string>> {
  const upgrading = new Set<string>();
  for (const deployment of deployments) {
    const { name } = deployment.metadata;
    const version = workerVersion(deployment);
    const own = selecting.parse(deployment.spec).selector;
    const selected = machines.filter(({ metadata }) => matchesLabels(own, metadata.labels ?? {}));
    const answer = version === '' ? valid(false) : anyElsewhere(selected, version);
    if (!answer.ok) {
      return invalid(`failed to check if MachineDeployment ${name} is upgrading: ${answer.error}`);
    }
    if (answer.value) {
      upgrading.add(name);
    }
  }
  return valid(upgrading);
}

/** A kubelet without a reported version is ignored. */
function anyElsewhere(machines: readonly Machine[], version: string): Checked<boolean> {
  for (const { metadata, spec, status } of machines) {
    const { kubeletVersion } = status.nodeInfo;
    if (spec.version === undefined || spec.version === '') {
      return invalid(`Machine ${metadata.name} has no version`);
    }
    if (spec.version !== version || (kubeletVersion !== '' && kubeletVersion !== version)) {
      return valid(true);
    }
  }
  return valid(false);
}

/** Returns the Nodes that a MachinePool references. */
export function nodesOfPool({ status }: Unstructured): readonly string[] {
  return pool
    .parse(status)
    .nodeRefs.map(({ name }) => name)
    .filter(name => name !== '');
}

/** Returns names of MachinePools. Fails at the first Node that could not be read. */
export function upgradingMachinePools(
  pools: readonly Unstructured[],
  kubeletVersions: ReadonlyMap<string, Checked<string>>,
): Checked<ReadonlySet<string>> {
  const upgrading = new Set<string>();
  for (const object of pools) {
    const { name } = object.metadata;
    const version = workerVersion(object);
    for (const node of version === '' ? [] : nodesOfPool(object)) {
      const kubelet = kubeletVersions.get(node) ?? invalid('it was not read');
      if (!kubelet.ok) {
        return invalid(
          `failed to check if MachinePool ${name} is upgrading: failed to get Node ${node}: ${kubelet.error}`,
        );
      }
      if (kubelet.value !== version) {
        upgrading.add(name);
        break;
      }
    }
  }
  return valid(upgrading);
}
