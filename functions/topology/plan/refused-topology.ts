// The problems of a topology that Cluster API's webhook refuses, for API servers that do not call it.
import { printInvalidObject } from '@capi-serverless/apimachinery';
import { problemsOfTopology } from '../../../shared/admission/topology.ts';
import { clusterGroup } from '../../../shared/api/cluster/reader.ts';
import type { Blueprint } from '../../../shared/topology/model/blueprint.ts';
import type { Current } from './current/current-topology.ts';

/**
 * Undefined: none. A class may drop a version that a Cluster still runs. Therefore the version must be in the list of the
 * class only until a control plane exists; after that the upgrade plan decides.
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
