// Checks variables: the definitions in classes of the files, and the values in Clusters of the files.

import type { FieldError, Intent } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { type ObjectProblem, toProblem } from '../../local/findings/finding.ts';
import { discovererOf, readClassSpec } from '../../shared/api/cluster-class/class-spec.ts';
import { listOf, section } from '../../shared/api/fields.ts';
import {
  type ClusterClassVariable,
  type ClusterVariable,
  defaultVariables,
  type ListToValidate,
  mergeDefinitions,
  type RulesForValues,
  readClusterVariables,
  readVariableDefinitions,
  rulesForValues,
  type StatusVariable,
  validateVariableDefinitions,
  validateVariables,
} from '../../shared/variables/index.ts';
import { type CheckResult, classOf, type FileObjects } from './check-templates.ts';

const path = 'spec.variables';

const anything = z.optional(z.unknown());

const overrides = section({ overrides: anything });
const workers = listOf(z.looseObject({ name: z.string(), variables: overrides }));

const clusterSchema = section({
  topology: section({
    variables: anything,
    controlPlane: section({ variables: overrides }),
    workers: section({ machineDeployments: workers, machinePools: workers }),
  }),
});

interface Values {
  readonly field: string;
  readonly raw: unknown;
  /** True for the list of the whole Cluster. In this list, every required variable must be set. */
  readonly complete: boolean;
}

/** Checks the values of a Cluster against the definitions of its class in the files. */
export function checkValues(cluster: Intent, objects: FileObjects): CheckResult {
  const found = classOf(cluster, objects);
  if (typeof found === 'string') {
    return { problems: [], notes: [] };
  }
  const classSpec = readClassSpec(found['spec']);
  const read = readVariableDefinitions(classSpec.variables ?? []);
  if (!read.ok || validateVariableDefinitions(read.value, path).length > 0) {
    return {
      problems: [],
      notes: [`the variables of Cluster ${cluster.metadata.name} were not checked: its class defines them wrongly`],
    };
  }
  const isDiscovering = classSpec.patches.some(patch => discovererOf(patch) !== '');
  const known = { inline: read.value, isDiscovering, rules: rulesForValues() };
  const judged = listsOf(cluster).map(values => checkList(values, known));
  const isDark = judged.some(({ undefinedOnes }) => undefinedOnes > 0);
  const note = `variables of Cluster ${cluster.metadata.name} that extensions of its class may define were not checked`;
  return { problems: judged.flatMap(({ problems }) => problems), notes: isDark ? [note] : [] };
}

function listsOf(cluster: Intent): readonly Values[] {
  const { topology } = clusterSchema.parse(cluster['spec']);
  const { controlPlane, workers: lists } = topology;
  const field = 'spec.topology';
  return [
    { field: `${field}.variables`, raw: topology.variables, complete: true },
    { field: `${field}.controlPlane.variables.overrides`, raw: controlPlane.variables.overrides, complete: false },
    ...(['machineDeployments', 'machinePools'] as const).flatMap(list =>
      lists[list].map(({ name, variables }) => ({
        field: `${field}.workers.${list}[${name}].variables.overrides`,
        raw: variables.overrides,
        complete: false,
      })),
    ),
  ];
}

interface Known {
  readonly inline: readonly ClusterClassVariable[];
  /** Extensions may define more variables. */
  readonly isDiscovering: boolean;
  readonly rules: RulesForValues;
}

function checkList(
  { field, raw, complete }: Values,
  { inline, isDiscovering, rules }: Known,
): { readonly problems: readonly ObjectProblem[]; readonly undefinedOnes: number } {
  const read = readClusterVariables(raw ?? []);
  if (!read.ok) {
    return { problems: [{ severity: 'error', field, message: read.error }], undefinedOnes: 0 };
  }
  const variables = mergeDefinitions([{ from: 'inline', variables: inline }]);
  const known = isDiscovering ? read.value.filter(({ name }) => isDefined(name, variables)) : read.value;
  const errors = judge(known, { path: field, variables, complete, rules });
  return { problems: errors.map(toProblem), undefinedOnes: read.value.length - known.length };
}

function judge(
  values: readonly ClusterVariable[],
  list: Pick<ListToValidate, 'path' | 'variables' | 'complete' | 'rules'>,
): readonly FieldError[] {
  const defaulted = defaultVariables({ ...list, values, create: list.complete });
  return [...defaulted.errors, ...validateVariables({ ...list, values: defaulted.values, oldValues: [] })];
}

function isDefined(name: string, variables: readonly StatusVariable[]): boolean {
  return variables.some(variable => variable.name === name);
}
