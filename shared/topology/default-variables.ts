// Reads, defaults and validates the variable values of a topology. Cluster API's webhook does the same, and the
// reconciler repeats it.
import {
  type Checked,
  type FieldError,
  invalid,
  invalidValue,
  type JsonObject,
  sameJson,
  toRecord,
  valid,
  type WorkMeter,
} from '@capi-serverless/apimachinery';
import {
  type ClusterVariable,
  defaultVariables,
  type RulesForValues,
  readClusterVariables,
  rulesForValues,
  type StatusVariable,
  validateVariables,
} from '../variables/index.ts';
import type { TopologyVariables } from './model/blueprint.ts';
import type { ClusterTopology } from './model/cluster-topology.ts';

interface DefaultedTopology {
  readonly variables: Checked<TopologyVariables, readonly FieldError[]>;
  /** `spec.topology` with default values, valid or not. The given value if no default was missing. */
  readonly topology: unknown;
}

interface VariablesToDefault {
  readonly topology: ClusterTopology;
  /** The stored `spec.topology`. */
  readonly raw: unknown;
  /** The variables in `ClusterClass.status.variables`. */
  readonly definitions: readonly StatusVariable[];
  /** The previous topology. If absent, transition rules are skipped. */
  readonly old?: ClusterTopology | undefined;
  /** The meter is charged for all lists. */
  readonly meter?: WorkMeter | undefined;
}

interface VariableHolder {
  readonly path: string;
  readonly stored: unknown;
  readonly before: unknown;
  readonly isForCluster: boolean;
}

/** A list with an undefined variable gets no defaults. Other lists get defaults, even if their values are invalid. */
export function defaultTopologyVariables({
  topology,
  raw,
  definitions,
  old,
  meter,
}: VariablesToDefault): DefaultedTopology {
  const { controlPlane, workers, variables } = topology;
  const rules = rulesForValues();
  const read = (holder: VariableHolder) => readHolder(holder, { definitions, rules, meter });
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
    return { variables: invalid(errors), topology: filled };
  }
  const values = {
    cluster: ofCluster.values,
    controlPlane: ofControlPlane.values,
    machineDeployments: byName(deployments),
    machinePools: byName(pools),
  };
  return { variables: valid(values), topology: filled };
}

interface Values {
  readonly values: readonly ClusterVariable[];
  readonly changed: boolean;
  readonly defaulting: readonly FieldError[];
  readonly validation: readonly FieldError[];
}

interface WorkerValues extends Values {
  /** The name of the field in the topology. */
  readonly name: string;
}

interface VariableDefinitions {
  readonly definitions: readonly StatusVariable[];
  readonly rules: RulesForValues;
  readonly meter: WorkMeter | undefined;
}

/** Absent overrides are neither defaulted nor validated. */
function readHolder(
  { path, stored, before, isForCluster }: VariableHolder,
  { definitions, rules, meter }: VariableDefinitions,
): Values {
  const read = readClusterVariables(stored);
  if (!read.ok) {
    return { values: [], changed: false, defaulting: [invalidValue(path, undefined, read.error)], validation: [] };
  }
  if (!isForCluster && read.value.length === 0) {
    return { values: [], changed: false, defaulting: [], validation: [] };
  }
  const old = readClusterVariables(before);
  const defaulted = defaultVariables({ values: read.value, variables: definitions, path, create: isForCluster, meter });
  const { values, errors } = defaulted;
  const validation = validateVariables({
    values,
    oldValues: old.ok ? old.value : [],
    variables: definitions,
    path,
    complete: isForCluster,
    rules,
    meter,
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

/** Only changed lists are replaced. The rest is the stored value. */
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
