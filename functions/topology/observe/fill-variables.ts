// Sets defaults of variables and validates variables. The rules need regular expressions and CEL. They are a separate
// chunk that is loaded for the first topology with a variable.
import {
  type Checked,
  invalid,
  printInvalidObject,
  toDisplayName,
  valid,
  type WorkMeter,
} from '@capi-serverless/apimachinery';
import { clusterGroup } from '../../../shared/api/cluster/reader.ts';
import type { TopologyVariables } from '../../../shared/topology/model/blueprint.ts';
import type { ClusterTopology } from '../../../shared/topology/model/cluster-topology.ts';
import type { StatusVariable } from '../../../shared/variables/index.ts';

interface StoredVariables {
  readonly clusterName: string;
  readonly className: { readonly namespace: string; readonly name: string };
  readonly topology: ClusterTopology;
  /** The stored `spec.topology`. */
  readonly raw: unknown;
  /** The stored `ClusterClass.status.variables`. */
  readonly defined: unknown;
  readonly meter?: WorkMeter | undefined;
}

interface FilledVariables {
  readonly definitions: readonly StatusVariable[];
  readonly variables: TopologyVariables;
}

interface Filled {
  readonly values: Checked<FilledVariables>;
  /** `spec.topology` with defaults, even if other values are invalid. The stored value if no default was missing. */
  readonly topology: unknown;
}

export async function fillVariables(stored: StoredVariables): Promise<Filled> {
  const { clusterName, className, topology, raw, defined, meter } = stored;
  if ([defined, ...valuesIn(topology)].every(isEmpty)) {
    return { values: valid({ definitions: [], variables: noneIn(topology) }), topology: raw };
  }
  const [{ readStatusVariables }, { defaultTopologyVariables }] = await Promise.all([
    import('../../../shared/variables/index.ts'),
    import('../../../shared/topology/default-variables.ts'),
  ]);
  const definitions = readStatusVariables(defined);
  if (!definitions.ok) {
    const problem = `reading the variables of ClusterClass ${toDisplayName(className)} failed: ${definitions.error}`;
    return { values: invalid(problem), topology: raw };
  }
  const filled = defaultTopologyVariables({ topology, raw, definitions: definitions.value, meter });
  const { variables } = filled;
  const values = variables.ok
    ? valid({ definitions: definitions.value, variables: variables.value })
    : invalid(printInvalidObject({ kind: 'Cluster', group: clusterGroup, name: clusterName, errors: variables.error }));
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
