// Validates the keywords of a schema: types, examples, choices, rules.
import { type FieldError, forbidden, unsupportedValue } from '@capi-serverless/apimachinery';
import type { Problem } from '@capi-serverless/cel';
import { checkValue } from './check-value.ts';
import { type DefinitionNode, problemsOfExampleByRules } from './definition-defaults.ts';
import { sortedEntries } from './json-type.ts';
import { toFieldErrors } from './problem.ts';
import type { VariableSchema } from './schema.ts';
import { toFieldError } from './validation-rules.ts';
import { stepsPerVisit } from './work.ts';

interface Found {
  readonly ofSchema: readonly FieldError[];
  readonly ofRules: readonly FieldError[];
}

interface Node extends DefinitionNode {
  /** Problems of rules. Keys are the schema fields of the rules. */
  readonly ruleProblems: ReadonlyMap<string, readonly Problem[]>;
}

/** The units of the common meter for the checks of one schema, in addition to the steps of a visit. */
const unitsPerSchema = 2000;

/** The units of the common meter for each example and choice, in addition to the steps of its check. */
const unitsPerExample = 1000;

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/**
 * Returns all errors. Errors of schemas come before errors of rules. `problems` result from compiling all rules of the
 * schema.
 */
export function problemsOfSchema(node: DefinitionNode, problems: readonly Problem[]): readonly FieldError[] {
  const isTotal = ({ path, detail }: Problem): boolean => path === node.field || detail.startsWith('contributed to ');
  const bySite = Map.groupBy(
    problems.filter(problem => !isTotal(problem)),
    ({ path }) => path.slice(0, path.lastIndexOf('.x-kubernetes-validations[')),
  );
  const found = find({ ...node, ruleProblems: bySite });
  return [...found.ofSchema, ...found.ofRules, ...problems.filter(isTotal).map(toFieldError)];
}

function find(node: Node): Found {
  const { schema, field } = node;
  node.work.spend(stepsPerVisit);
  node.work.meter?.charge(unitsPerSchema);
  if (schema.type !== undefined && !types.includes(schema.type)) {
    return { ofSchema: [unsupportedValue(`${field}.type`, schema.type, types)], ofRules: [] };
  }
  const below = childrenOf(node).map(find);
  const problems = node.ruleProblems.get(field) ?? [];
  const ofSchema = [
    ...problemsOfExamples(node),
    ...problemsOfMembers(schema, field),
    ...below.flatMap(child => child.ofSchema),
    ...problems.filter(isMalformed).map(toFieldError),
  ];
  const ofRules = [
    ...below.flatMap(child => child.ofRules),
    ...(ofSchema.length > 0
      ? []
      : problems.filter(problem => !isMalformed(problem)).map(problem => toRuleError(problem, schema))),
  ];
  const isFine = ofSchema.length === 0 && ofRules.length === 0;
  return { ofSchema, ofRules: isFine ? problemsOfExamplesByRules(node) : ofRules };
}

/** Problems that are reported before any rule is compiled. */
function isMalformed({ path, type }: Problem): boolean {
  return type === 'Required value' || /\.(?:message|reason|fieldPath)$/.test(path);
}

/**
 * As in API servers, the message contains the whole rule in Go's field spelling. For problems of transition rules, it
 * contains only the text.
 */
function toRuleError(problem: Problem, schema: VariableSchema): FieldError {
  const error = toFieldError(problem);
  const index = Number(/\[(\d+)\]\.\w+$/.exec(problem.path)?.[1]);
  const rule = schema['x-kubernetes-validations']?.[index];
  if (error.type !== 'Invalid value' || rule === undefined) {
    return error;
  }
  const { rule: Rule, message: Message = '', messageExpression: MessageExpression = '', fieldPath = '' } = rule;
  const shown = { Rule, Message, MessageExpression, Reason: rule.reason ?? null, FieldPath: fieldPath };
  return { ...error, value: error.detail.startsWith('oldSelf ') ? Rule : { ...shown, OptionalOldSelf: null } };
}

function childrenOf(node: Node): readonly Node[] {
  const { schema, field, rules } = node;
  const { additionalProperties, properties, items, not, allOf = [], oneOf = [], anyOf = [] } = schema;
  const at = (below: VariableSchema, place: string, change: Partial<Node>): Node => ({
    ...node,
    ...change,
    schema: below,
    field: `${field}.${place}`,
  });
  const nested = { rules: undefined };
  const branches = (name: string, of: readonly VariableSchema[]): readonly Node[] =>
    of.map((branch, index) => at(branch, `${name}[${index}]`, nested));
  return [
    ...(additionalProperties === undefined
      ? []
      : [at(additionalProperties, 'additionalProperties', { rules: rules?.values })]),
    ...sortedEntries(properties).map(([name, below]) =>
      at(below, `properties[${name}]`, { rules: rules?.members.get(name) }),
    ),
    ...(items === undefined ? [] : [at(items, 'items', { rules: rules?.items })]),
    ...(not === undefined ? [] : [at(not, 'not', nested)]),
    ...branches('allOf', allOf),
    ...branches('oneOf', oneOf),
    ...branches('anyOf', anyOf),
  ];
}

/** The example and the choices of a schema, with the field of each. */
function examplesOf({ schema, field }: DefinitionNode): readonly (readonly [string, unknown])[] {
  const choices = (schema.enum ?? []).filter(choice => choice !== null);
  return [
    ...(schema.example === undefined ? [] : [[`${field}.example`, schema.example] as const]),
    ...choices.map((choice, index) => [`${field}.enum[${index}]`, choice] as const),
  ];
}

function problemsOfExamples(node: DefinitionNode): readonly FieldError[] {
  return examplesOf(node).flatMap(([field, value]) => {
    node.work.meter?.charge(unitsPerExample);
    return toFieldErrors(checkValue(value, node.schema, node.work), field);
  });
}

function problemsOfExamplesByRules(node: DefinitionNode): readonly FieldError[] {
  return (node.schema['x-kubernetes-validations'] ?? []).length === 0
    ? []
    : examplesOf(node).flatMap(([field, value]) => problemsOfExampleByRules(value, { ...node, field }));
}

function problemsOfMembers(
  { properties = {}, additionalProperties }: VariableSchema,
  field: string,
): readonly FieldError[] {
  return additionalProperties !== undefined && Object.keys(properties).length > 0
    ? [forbidden(field, 'additionalProperties and properties are mutually exclusive')]
    : [];
}
