// Compiles all rules of a schema, once per definition.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
import { type CompiledRule, compileRule, type RuleSite } from './compile-rule.ts';
import { deepestJson, nestsTooDeep } from './depth.ts';
import { childPath, keyPath, type Problem } from './problem.ts';
import { costProblems, type RuleCost } from './rule-cost.ts';
import { itemsOf, membersOf, rulesOf, type StructuralSchema, valuesOf } from './schema.ts';
import { identityOf, type TypeOfSchema, typesOfSchemas, undescribed } from './schema-type.ts';
import type { CelType, ListIdentity } from './type.ts';

/** The rules of a schema, in the structure of the schema. Branches without rules are absent. */
export interface CompiledRules {
  readonly here: readonly CompiledRule[];
  readonly members: ReadonlyMap<string, CompiledRules>;
  readonly values: CompiledRules | undefined;
  readonly items: CompiledRules | undefined;
  /** The type of the value in rules. */
  readonly type: CelType;
  /** The type of the value in errors. */
  readonly schemaType: string;
  readonly identity: ListIdentity;
  /** False if the old values of members cannot be matched. */
  readonly correlatesMembers: boolean;
}

export interface CompileOptions {
  /** The path of the schema, prefixed to the paths of problems. */
  readonly path: string;
  /** Whether the schema describes a whole resource with apiVersion, kind and metadata. */
  readonly resource?: boolean;
  /**
   * Receives the work for regular expressions of the rules, in units of a common meter, before it is done. If it throws,
   * the compilation ends. Default: the work is not counted.
   */
  readonly charge?: (units: number) => void;
}

export interface Compilation {
  /** Undefined if the schema has no executable rule. */
  readonly rules: CompiledRules | undefined;
  readonly problems: readonly Problem[];
}

const uncounted = (): void => {};

/** Never throws by itself: problems of rules are returned in `problems`, and rules with problems are omitted. */
export function compileRules(
  schema: StructuralSchema,
  { path, resource = false, charge = uncounted }: CompileOptions,
): Compilation {
  if (nestsTooDeep(schema)) {
    const detail = `schema nests deeper than ${deepestJson} levels`;
    return { rules: undefined, problems: [{ path, type: 'Forbidden', detail }] };
  }
  const problems: Problem[] = [];
  const costs: RuleCost[] = [];
  const root = { schema, path, cardinality: 1, uncorrelated: undefined, resource, charge };
  const rules = compileNode(root, { problems, costs, typeOf: typesOfSchemas() });
  return { rules, problems: [...problems, ...costProblems(costs, path)] };
}

interface Node extends RuleSite {
  readonly resource: boolean;
}

interface Compiling {
  readonly typeOf: TypeOfSchema;
  readonly problems: Problem[];
  readonly costs: RuleCost[];
}

function compileNode(node: Node, compiling: Compiling): CompiledRules | undefined {
  const { schema, path } = node;
  const identity = identityOf(schema);
  const correlatesMembers = schema['x-kubernetes-map-type'] !== 'atomic';
  const below = (part: StructuralSchema, at: string, change: Partial<Node> = {}): CompiledRules | undefined =>
    compileNode(
      {
        schema: part,
        path: at,
        cardinality: node.cardinality,
        uncorrelated: node.uncorrelated,
        charge: node.charge,
        resource: part['x-kubernetes-embedded-resource'] === true,
        ...change,
      },
      compiling,
    );
  const values = valuesOf(schema);
  const items = itemsOf(schema);
  const itemsPath = `${path}.items`;
  const rules: CompiledRules = {
    here: rulesHere(node, compiling),
    members: compileMembers(schema, path, below),
    values:
      values === undefined
        ? undefined
        : below(values, `${path}.additionalProperties`, { cardinality: multiplied(node, schema.maxProperties) }),
    items:
      items === undefined
        ? undefined
        : below(items, itemsPath, {
            cardinality: multiplied(node, schema.maxItems),
            ...(identity.kind === 'map' ? {} : { uncorrelated: node.uncorrelated ?? itemsPath }),
          }),
    type: (compiling.typeOf(schema, node.resource) ?? undescribed).type,
    schemaType: typeof schema.type === 'string' ? schema.type : '',
    identity,
    correlatesMembers,
  };
  const isEmpty =
    rules.here.length === 0 && rules.members.size === 0 && rules.values === undefined && rules.items === undefined;
  return isEmpty ? undefined : rules;
}

/** Returns undefined if only the maximum request size limits the number of values. */
function multiplied({ cardinality }: Node, max: number | undefined): number | undefined {
  return cardinality === undefined || typeof max !== 'number' ? undefined : cardinality * Math.max(0, max);
}

function compileMembers(
  schema: StructuralSchema,
  path: string,
  below: (part: StructuralSchema, at: string) => CompiledRules | undefined,
): ReadonlyMap<string, CompiledRules> {
  const members = new Map<string, CompiledRules>();
  for (const [name, member] of membersOf(schema)) {
    const compiled = below(member, keyPath(`${path}.properties`, name));
    if (compiled !== undefined) {
      members.set(name, compiled);
    }
  }
  return members;
}

function rulesHere(node: Node, { problems, costs, typeOf }: Compiling): readonly CompiledRule[] {
  const { schema, path } = node;
  const type = typeOf(schema, node.resource) ?? undescribed;
  return rulesOf(schema).flatMap((rule, index) => {
    const at = keyPath(childPath(path, 'x-kubernetes-validations'), index);
    const compiled = compileRule(rule, { ...node, path: at, type });
    problems.push(...compiled.problems);
    costs.push(...compiled.costs);
    return compiled.rule === undefined ? [] : [compiled.rule];
  });
}
