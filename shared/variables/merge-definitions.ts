// Merges the variable definitions of a ClusterClass and its extensions into `status.variables`.
// https://cluster-api.sigs.k8s.io/tasks/experimental-features/runtime-sdk/implement-topology-mutation-hook
import { compareText, withoutUndefined } from '@capi-serverless/apimachinery';
import { toComparableText } from './json-type.ts';
import type {
  ClusterClassVariable,
  StatusVariable,
  StatusVariableDefinition,
  VariableMetadata,
  VariableSchema,
} from './schema.ts';

/** The variables of one source: `inline`, or the name of a patch. */
export interface VariableSource {
  readonly from: string;
  readonly variables: readonly ClusterClassVariable[];
}

/** Returns each variable once, sorted by name. Its definitions are in the order of the sources. */
export function mergeDefinitions(sources: readonly VariableSource[]): readonly StatusVariable[] {
  const byName = new Map<string, StatusVariable>();
  for (const { from, variables } of sources) {
    for (const variable of variables) {
      const definition = toDefinition(from, variable);
      byName.set(variable.name, withDefinition(byName.get(variable.name), variable.name, definition));
    }
  }
  return [...byName.values()].toSorted((left, right) => compareText(left.name, right.name));
}

/** Returns the variables with conflicting definitions, in order. */
export function conflictingVariables(variables: readonly StatusVariable[]): readonly string[] {
  return variables.filter(({ definitionsConflict }) => definitionsConflict).map(({ name }) => name);
}

function toDefinition(from: string, variable: ClusterClassVariable): StatusVariableDefinition {
  const { required = false, deprecatedV1Beta1Metadata, schema } = variable;
  return { from, required, ...withoutUndefined({ deprecatedV1Beta1Metadata }), schema };
}

function withDefinition(
  known: StatusVariable | undefined,
  name: string,
  definition: StatusVariableDefinition,
): StatusVariable {
  if (known === undefined) {
    return { name, definitionsConflict: false, definitions: [definition] };
  }
  const { definitions, definitionsConflict } = known;
  return {
    name,
    // If there is no conflict so far, the first definition equals the others.
    definitionsConflict: definitionsConflict || definitions.slice(0, 1).some(first => isConflict(first, definition)),
    definitions: [...definitions, definition],
  };
}

/** Returns true if two definitions of a variable differ in meaning. */
function isConflict(left: StatusVariableDefinition, right: StatusVariableDefinition): boolean {
  return toComparable(left) !== toComparable(right);
}

function toComparable({ required, deprecatedV1Beta1Metadata, schema }: StatusVariableDefinition): string {
  return toComparableText([
    required,
    comparableMetadata(deprecatedV1Beta1Metadata),
    comparableSchema(schema.openAPIV3Schema),
  ]);
}

/** Keywords for which false equals absent. */
const flags = [
  'uniqueItems',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-int-or-string',
] as const;

/** The default reason that the API server sets for rules. */
const defaultReason = 'FieldValueInvalid';

function comparableSchema(schema: VariableSchema): unknown {
  const rules = schema['x-kubernetes-validations'];
  const { properties } = schema;
  return {
    ...schema,
    ...Object.fromEntries(flags.map(flag => [flag, schema[flag] || undefined])),
    'x-metadata': comparableMetadata(schema['x-metadata']),
    'x-kubernetes-validations': rules?.map(rule => ({ ...rule, reason: rule.reason ?? defaultReason })),
    properties:
      properties &&
      Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, comparableSchema(each)])),
    additionalProperties: schema.additionalProperties && comparableSchema(schema.additionalProperties),
    items: schema.items && comparableSchema(schema.items),
    not: schema.not && comparableSchema(schema.not),
    allOf: schema.allOf?.map(comparableSchema),
    oneOf: schema.oneOf?.map(comparableSchema),
    anyOf: schema.anyOf?.map(comparableSchema),
  };
}

/** Metadata without members equals absent metadata. */
function comparableMetadata(metadata: VariableMetadata | undefined): unknown {
  return metadata?.labels === undefined && metadata?.annotations === undefined ? undefined : metadata;
}
