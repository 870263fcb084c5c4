// The variables of a class, inline and from extensions, validated and merged.
import {
  type Checked,
  type FieldError,
  invalidValue,
  mapChecked,
  printFieldError,
  toAggregateText,
  type WorkMeter,
} from '@capi-serverless/apimachinery';
import { getCondition } from '@capi-serverless/cluster-api/conditions';
import { concluded, type PassChange, type Phase } from '@capi-serverless/reconciler';
import type { ClusterClass } from '../../../shared/api/cluster-class/reader.ts';
import { mostStatusVariables, statusVariable } from '../../../shared/api/cluster-class/variables-schema.ts';
import {
  type ClusterClassVariable,
  conflictingVariables,
  mergeDefinitions,
  readVariableDefinitions,
  type StatusVariable,
  type StatusVariableDefinition,
  type VariableSchema,
  type VariableSource,
  validateBySchema,
  validateVariableDefinitions,
} from '../../../shared/variables/index.ts';
import type { Discovery, ObservedClass, Variables } from '../seen.ts';

export const variablesReadyType = 'VariablesReady';

interface VariableSources {
  readonly clusterClass: ClusterClass;
  readonly discoveries: readonly Discovery[];
  /** Is charged for the validation of all variables. */
  readonly meter: WorkMeter;
}

/** After the first error, the remaining variables are neither validated nor merged. */
export function gatherVariables({ clusterClass, discoveries, meter }: VariableSources): Variables {
  const errors: string[] = [];
  const sources: VariableSource[] = [];
  const add = (from: string, checked: Checked<readonly ClusterClassVariable[]>, check: Check): void => {
    if (!checked.ok) {
      errors.push(checked.error);
      return;
    }
    sources.push({ from, variables: checked.value });
    if (errors.length === 0) {
      for (const error of check(checked.value)) {
        errors.push(error);
      }
    }
  };
  add(
    'inline',
    inlineVariables(clusterClass),
    isAccepted(clusterClass) ? () => [] : checkBelow('spec.variables', meter),
  );
  for (const { patch, variables } of discoveries) {
    add(patch, variables, checkBelow(`${patch}.variables`, meter));
  }
  if (errors.length > 0) {
    return { state: 'errors', errors };
  }
  const list = mergeDefinitions(sources).map(toStored);
  const refused = problemsOfStorage(list, meter).map(printFieldError);
  return refused.length > 0
    ? { state: 'errors', errors: refused }
    : { state: 'known', list, conflicts: conflictingVariables(list) };
}

/** The problem of the variables, or undefined if there is none. */
export function variablesProblem(variables: Variables): string | undefined {
  if (variables.state === 'errors') {
    return toAggregateText(variables.errors);
  }
  const { conflicts } = variables;
  return conflicts.length > 0 ? `the following variables have conflicting schemas: ${conflicts.join(',')}` : undefined;
}

/** Reports the problem of the variables, which observe has gathered. */
export function variablesPhase({ clusterClass, variables }: ObservedClass): Phase<PassChange> {
  const problem = variablesProblem(variables);
  const { name } = clusterClass.metadata;
  return problem === undefined
    ? concluded()
    : concluded({ errors: [`failed to discover variables for ClusterClass ${name}: ${problem}`] });
}

type Check = (variables: readonly ClusterClassVariable[]) => readonly string[];

function checkBelow(path: string, meter: WorkMeter): Check {
  return variables => validateVariableDefinitions(variables, path, meter).map(printFieldError);
}

/** If several variables have the same name, the last one is used, as upstream. Admission rejects duplicates. */
function inlineVariables({ spec }: ClusterClass): Checked<readonly ClusterClassVariable[]> {
  return mapChecked(readVariableDefinitions(spec.variables), variables => [
    ...new Map(variables.map(variable => [variable.name, variable])).values(),
  ]);
}

/** This generation was valid before, possibly in upstream's check. Therefore it is accepted. */
function isAccepted({ metadata, status }: ClusterClass): boolean {
  const condition = getCondition(status.conditions, variablesReadyType);
  return condition?.status === 'True' && condition.observedGeneration === metadata.generation;
}

/** The default that the API server sets for the reason of a rule at the root of a schema. */
const defaultReason = 'FieldValueInvalid';

function toStored(variable: StatusVariable): StatusVariable {
  return withoutUndefined({ ...variable, definitions: variable.definitions.map(toStoredDefinition) });
}

function toStoredDefinition({ deprecatedV1Beta1Metadata, schema, ...definition }: StatusVariableDefinition) {
  return {
    ...definition,
    deprecatedV1Beta1Metadata: unlessEmpty(deprecatedV1Beta1Metadata),
    schema: { openAPIV3Schema: toStoredSchema(schema.openAPIV3Schema) },
  };
}

/** The API server sets defaults and validates only at the root of a schema. */
function toStoredSchema(schema: VariableSchema): VariableSchema {
  return {
    ...schema,
    required: unlessEmpty(schema.required),
    'x-metadata': unlessEmpty(schema['x-metadata']),
    'x-kubernetes-validations': unlessEmpty(schema['x-kubernetes-validations'])?.map(rule => ({
      ...rule,
      reason: rule.reason ?? defaultReason,
    })),
  };
}

/** The API server rejects empty objects and lists here. */
function unlessEmpty<T extends object>(value: T | undefined): T | undefined {
  return value === undefined || Object.keys(value).length === 0 ? undefined : value;
}

function withoutUndefined<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T; // true: the text is the same JSON, and variables are JSON
}

const path = 'status.variables';

/**
 * Returns the reason why the API server would reject the variables. The input has the form in which they are stored. One
 * invalid variable causes the rejection of the whole status, including the conditions. Then users see no error.
 */
export function problemsOfStorage(list: readonly StatusVariable[], meter: WorkMeter): readonly FieldError[] {
  if (list.length > mostStatusVariables) {
    const detail = `there are ${list.length}; a class can have ${mostStatusVariables} at most`;
    return [invalidValue(path, undefined, detail)];
  }
  return list.flatMap(variable => {
    const field = `${path}[${variable.name}]`;
    return [...validateBySchema(variable, statusVariable, { field, meter }), ...problemsOfRules(variable, field)];
  });
}

/** `x-kubernetes-validations` is a list with the key `rule`, so no rule may occur twice. */
function problemsOfRules({ definitions }: StatusVariable, field: string): readonly FieldError[] {
  return definitions.flatMap(({ schema }, index) => {
    const rules = schema.openAPIV3Schema['x-kubernetes-validations'] ?? [];
    const first = new Map(rules.map(({ rule }, at) => [rule, at] as const).reverse());
    const repeated = rules.filter(({ rule }, at) => first.get(rule) !== at);
    const rulesPath = `${field}.definitions[${index}].schema.openAPIV3Schema.x-kubernetes-validations`;
    return repeated.map(({ rule }) => invalidValue(rulesPath, rule, 'this rule occurs more than once'));
  });
}
