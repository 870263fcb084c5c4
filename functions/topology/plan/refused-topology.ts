// Detects topologies that Cluster API's webhook refuses, for API servers without this webhook.
import { printInvalidObject } from '@capi-serverless/apimachinery';
import { problemsOfTopology } from '../../../shared/admission/managed-topology.ts';
import { clusterGroup } from '../../../shared/api/cluster/reader.ts';
import type { Blueprint } from '../../../shared/topology/model/blueprint.ts';
import type { Current } from './current/current-topology.ts';

/**
 * Returns undefined if there is no problem. A class may drop a version that a Cluster still uses. Therefore the version
 * must be in the list of the class only until a control plane exists. After that the upgrade plan determines valid
 * versions.
 */
export function refusalOf(blueprint: Blueprint, current: Current): string | undefined {
  const { cluster, classSpec } = blueprint;
  const isNew = current.controlPlane.object === undefined;
  const errors = problemsOfTopology(
    isNew ? blueprint : { ...blueprint, classSpec: { ...classSpec, kubernetesVersions: [] } },
  );
  const { name } = cluster.metadata;
  return errors.length === 0 ? undefined : printInvalidObject({ kind: 'Cluster', group: clusterGroup, name, errors });
}
