// Values of variables in a Cluster's topology: read, defaulted, checked; what the webhook of Cluster API does, and the reconciler repeats.
import { type FieldError, invalidValue } from '../api/field-error.ts';
import { toRecord } from '../api/fields.ts';
import { type JsonObject, sameJson } from '../api/json.ts';
import {
  type ClusterVariable,
  defaultVariables,
  readClusterVariables,
  type StatusVariable,
  validateVariables,
} from '../variables/index.ts';
import type { TopologyVariables } from './model/blueprint.ts';
import type { ClusterTopology } from './model/cluster-topology.ts';

export type DefaultedTopology = (
  | { readonly ok: true; readonly variables: TopologyVariables }
  | { readonly ok: false; readonly errors: readonly FieldError[] }
) & {
  /** `spec.topology` with the defaults filled in, valid or not; the very value given where none was missing. */
  readonly topology: unknown;
};

export interface VariablesToDefault {
  readonly topology: ClusterTopology;
  /** `spec.topology` as it is stored. */
  readonly raw: unknown;
  /** `ClusterClass.status.variables`. */
  readonly definitions: readonly StatusVariable[];
  /** What the topology was before; absent, rules about changes have nothing to compare with. */
  readonly old?: ClusterTopology | undefined;
}

interface Place {
  readonly path: string;
  readonly stored: unknown;
  readonly before: unknown;
  readonly isForCluster: boolean;
}

/** A list in which something has no definition gets no defaults; the other lists do, whatever is wrong with their values. */
export function defaultTopologyVariables({ topology, raw, definitions, old }: VariablesToDefault): DefaultedTopology {
  const { controlPlane, workers, variables } = topology;
  const read = (place: Place) => readPlace(place, definitions);
  const ofWorkers = (list: 'machineDeployments' | 'machinePools') =>
    workers[list].map(({ name, variables: { overrides } }) => ({
      name,
      ...read({
        path: `spec.topology.workers.${list}[${name}].variables.overrides`,
        stored: overrides,
        before: old?.workers[list].findLast(each => each.name === name)?.variables.overrides,
        isForCluster: false,
      }),
    }));
  const ofCluster = read({
    path: 'spec.topology.variables',
    stored: variables,
    before: old?.variables,
    isForCluster: true,
  });
  const ofControlPlane = read({
    path: 'spec.topology.controlPlane.variables.overrides',
    stored: controlPlane.variables.overrides,
    before: old?.controlPlane.variables.overrides,
    isForCluster: false,
  });
  const deployments = ofWorkers('machineDeployments');
  const pools = ofWorkers('machinePools');
  const all = [ofCluster, ofControlPlane, ...deployments, ...pools];
  const errors = [...all.flatMap(each => each.defaulting), ...all.flatMap(each => each.validation)];
  const filled = all.some(({ changed }) => changed)
    ? fillIn(raw, { ofCluster, ofControlPlane, deployments, pools })
    : raw;
  if (errors.length > 0) {
    return { ok: false, errors, topology: filled };
  }
  return {
    ok: true,
    variables: {
      cluster: ofCluster.values,
      controlPlane: ofControlPlane.values,
      machineDeployments: byName(deployments),
      machinePools: byName(pools),
    },
    topology: filled,
  };
}

interface Values {
  readonly values: readonly ClusterVariable[];
  readonly changed: boolean;
  readonly defaulting: readonly FieldError[];
  readonly validation: readonly FieldError[];
}

interface WorkerValues extends Values {
  /** In the topology. */
  readonly name: string;
}

/** Overrides are neither completed nor looked at where there are none. */
function readPlace({ path, stored, before, isForCluster }: Place, definitions: readonly StatusVariable[]): Values {
  const read = readClusterVariables(stored);
  if (!read.ok) {
    return { values: [], changed: false, defaulting: [invalidValue(path, undefined, read.error)], validation: [] };
  }
  if (!isForCluster && read.value.length === 0) {
    return { values: [], changed: false, defaulting: [], validation: [] };
  }
  const old = readClusterVariables(before);
  const defaulted = defaultVariables({ values: read.value, variables: definitions, path, create: isForCluster });
  const { values, errors } = defaulted;
  const validation = validateVariables({
    values,
    oldValues: old.ok ? old.value : [],
    variables: definitions,
    path,
    complete: isForCluster,
  });
  const changed = errors.length === 0 && !sameJson(values, read.value);
  return { values, changed, defaulting: errors, validation };
}

function byName(workers: readonly WorkerValues[]): ReadonlyMap<string, readonly ClusterVariable[]> {
  return new Map(workers.map(({ name, values }) => [name, values]));
}

interface Places {
  readonly ofCluster: Values;
  readonly ofControlPlane: Values;
  readonly deployments: readonly WorkerValues[];
  readonly pools: readonly WorkerValues[];
}

/** Only lists that changed are replaced; everything else stays as it is stored. */
function fillIn(raw: unknown, { ofCluster, ofControlPlane, deployments, pools }: Places): JsonObject {
  const stored = toRecord(raw);
  const workers = toRecord(stored['workers']);
  const filled = {
    ...stored,
    ...(ofCluster.changed ? { variables: ofCluster.values } : {}),
    ...(ofControlPlane.changed ? { controlPlane: withOverrides(stored['controlPlane'], ofControlPlane) } : {}),
  };
  const inWorkers = {
    ...workers,
    ...fillWorkers('machineDeployments', workers, deployments),
    ...fillWorkers('machinePools', workers, pools),
  };
  return [...deployments, ...pools].some(({ changed }) => changed) ? { ...filled, workers: inWorkers } : filled;
}

function fillWorkers(list: string, workers: JsonObject, values: readonly Values[]): JsonObject {
  const stored = workers[list];
  if (!Array.isArray(stored) || !values.some(({ changed }) => changed)) {
    return {};
  }
  return {
    [list]: stored.map((item, index) => {
      const value = values[index];
      return value?.changed === true ? withOverrides(item, value) : item;
    }),
  };
}

function withOverrides(holder: unknown, { values }: Values): JsonObject {
  return { ...toRecord(holder), variables: { overrides: values } };
}
