// Fills in and checks the variables of a topology. Their rules, with regular expressions and the expression language, are a
// chunk of their own, read for the first topology that has any variable.
import { type Checked, invalid, valid } from '../../../shared/api/checked.ts';
import { clusterGroup } from '../../../shared/api/cluster/reader.ts';
import { printInvalidObject } from '../../../shared/api/field-error.ts';
import { toDisplayName } from '../../../shared/api/object.ts';
import type { TopologyVariables } from '../../../shared/topology/model/blueprint.ts';
import type { ClusterTopology } from '../../../shared/topology/model/cluster-topology.ts';
import type { StatusVariable } from '../../../shared/variables/index.ts';

export interface StoredVariables {
  readonly clusterName: string;
  readonly className: { readonly namespace: string; readonly name: string };
  readonly topology: ClusterTopology;
  /** `spec.topology` as it is stored. */
  readonly raw: unknown;
  /** `ClusterClass.status.variables` as it is stored. */
  readonly defined: unknown;
}

export interface FilledVariables {
  readonly definitions: readonly StatusVariable[];
  readonly variables: TopologyVariables;
}

export interface Filled {
  readonly values: Checked<FilledVariables>;
  /** `spec.topology` with the defaults, whatever is wrong with other values; the stored value itself where none was missing. */
  readonly topology: unknown;
}

export async function fillVariables(stored: StoredVariables): Promise<Filled> {
  const { clusterName, className, topology, raw, defined } = stored;
  if ([defined, ...valuesIn(topology)].every(isEmpty)) {
    return { values: valid({ definitions: [], variables: noneIn(topology) }), topology: raw };
  }
  const [{ readStatusVariables }, { defaultTopologyVariables }] = await Promise.all([
    import('../../../shared/variables/index.ts'),
    import('../../../shared/topology/variables.ts'),
  ]);
  const definitions = readStatusVariables(defined);
  if (!definitions.ok) {
    const problem = `reading the variables of ClusterClass ${toDisplayName(className)} failed: ${definitions.error}`;
    return { values: invalid(problem), topology: raw };
  }
  const filled = defaultTopologyVariables({ topology, raw, definitions: definitions.value });
  const values = filled.ok
    ? valid({ definitions: definitions.value, variables: filled.variables })
    : invalid(printInvalidObject({ kind: 'Cluster', group: clusterGroup, name: clusterName, errors: filled.errors }));
  return { values, topology: filled.topology };
}

function valuesIn({ variables, controlPlane, workers }: ClusterTopology): readonly unknown[] {
  const holders = [controlPlane, ...workers.machineDeployments, ...workers.machinePools];
  return [variables, ...holders.map(holder => holder.variables.overrides)];
}

function isEmpty(list: unknown): boolean {
  return list === undefined || (Array.isArray(list) && list.length === 0);
}

function noneIn({ workers }: ClusterTopology): TopologyVariables {
  const none = (list: 'machineDeployments' | 'machinePools') =>
    new Map(workers[list].map(({ name }) => [name, []] as const));
  return {
    cluster: [],
    controlPlane: [],
    machineDeployments: none('machineDeployments'),
    machinePools: none('machinePools'),
  };
}
