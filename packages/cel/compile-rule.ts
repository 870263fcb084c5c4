// Compiles one rule: its condition, its message, and its field path.
import { withoutUndefined } from '@capi-serverless/apimachinery';
import { compileText } from './compile.ts';
import type { Expression } from './expression.ts';
import { parseFieldPath } from './field-path.ts';
import { CompileProblem, mentions } from './parse.ts';
import { isReason, type Problem, type ProblemType, type Reason, typeOfReason } from './problem.ts';
import { costOfRule, type RuleCost } from './rule-cost.ts';
import type { StructuralSchema, ValidationRule } from './schema.ts';
import type { SizedType } from './schema-type.ts';
import { type CelType, isScalar, optionalOf } from './type.ts';

export interface CompiledRule {
  readonly condition: Expression;
  /** True if the rule uses `oldSelf`. Then it runs only with an old value, unless `optionalOldSelf` is set. */
  readonly transition: boolean;
  readonly optionalOldSelf: boolean;
  readonly messageExpression: Expression | undefined;
  readonly message: string;
  /** The name of the rule in evaluation errors. */
  readonly name: string;
  readonly reason: Reason;
  /** The suffix for the path of the value: "" or `.a.b`. */
  readonly fieldPath: string;
}

export interface RuleSite {
  readonly schema: StructuralSchema;
  readonly path: string;
  /** The maximum number of values of the schema in one object. Undefined means unbounded. */
  readonly cardinality: number | undefined;
  /** The schema path below which old values cannot be matched. */
  readonly uncorrelated: string | undefined;
  /** Receives the work of the compilation, in units of a common meter. */
  readonly charge: (units: number) => void;
}

interface TypedSite extends RuleSite {
  readonly type: SizedType;
}

interface Result {
  readonly rule: CompiledRule | undefined;
  readonly problems: readonly Problem[];
  readonly costs: readonly RuleCost[];
}

/** The variable slots of every rule. */
export const selfSlot = 0;
export const oldSelfSlot = 1;

export function compileRule(rule: ValidationRule, site: TypedSite): Result {
  const malformed = fieldProblems(rule, site);
  const condition = malformed.length > 0 ? undefined : compilePart(rule, 'rule', site);
  const message =
    malformed.length > 0 || rule.messageExpression === undefined
      ? undefined
      : compilePart(rule, 'messageExpression', site);
  const parts = [condition, message].filter(part => part !== undefined);
  const problems = [...malformed, ...parts.flatMap(part => part.problems)];
  const costs = parts.flatMap(part => part.costs);
  const expression = condition?.expression;
  return {
    rule:
      expression === undefined || problems.length > 0
        ? undefined
        : toRule(rule, expression, { site, message: message?.expression }),
    problems,
    costs,
  };
}

function toRule(
  rule: ValidationRule,
  condition: Expression,
  { site, message }: { readonly site: TypedSite; readonly message: Expression | undefined },
): CompiledRule {
  const text = rule.message?.trim() ?? '';
  const name = text === '' ? rule.rule.trim() : text;
  return {
    condition,
    transition: mentions(rule.rule, 'oldSelf'),
    optionalOldSelf: rule.optionalOldSelf === true,
    messageExpression: message,
    message: text === '' ? `failed rule: ${rule.rule.trim()}` : text,
    name,
    reason: rule.reason !== undefined && isReason(rule.reason) ? rule.reason : 'FieldValueInvalid',
    fieldPath: rule.fieldPath === undefined ? '' : (parseFieldPath(rule.fieldPath, site.schema) ?? ''),
  };
}

/** Returns problems in the fields of the rule, before compilation. */
function fieldProblems(rule: ValidationRule, { path, schema }: TypedSite): readonly Problem[] {
  const problems: Problem[] = [];
  const add = (field: string, type: ProblemType, detail: string, value?: unknown): void => {
    problems.push({ path: `${path}.${field}`, type, ...withoutUndefined({ value }), detail });
  };
  if (rule.rule.trim() === '') {
    add('rule', 'Required value', 'rule is not specified');
  }
  if (rule.message !== undefined && rule.message !== '' && rule.message.trim() === '') {
    add('message', 'Invalid value', 'message must be non-empty if specified', rule.message);
  } else if (rule.message !== undefined && hasLineBreak(rule.message.trim())) {
    add('message', 'Invalid value', 'message must not contain line breaks', rule.message);
  } else if (hasLineBreak(rule.rule.trim()) && (rule.message ?? '') === '') {
    add('message', 'Required value', 'message must be specified if rule contains line breaks');
  }
  if (rule.messageExpression !== undefined && rule.messageExpression.trim() === '') {
    add('messageExpression', 'Required value', 'messageExpression must be non-empty if specified');
  }
  if (rule.reason !== undefined && !isReason(rule.reason)) {
    add('reason', 'Unsupported value', `supported values: ${reasons}`, rule.reason);
  }
  if (rule.fieldPath !== undefined && parseFieldPath(rule.fieldPath, schema) === undefined) {
    const detail = 'fieldPath must be a valid path: does not refer to a valid field';
    add('fieldPath', 'Invalid value', detail, rule.fieldPath);
  }
  if (rule.optionalOldSelf !== undefined && !rule.rule.includes('oldSelf')) {
    add('optionalOldSelf', 'Invalid value', 'may not be set if oldSelf is not used in rule', rule.optionalOldSelf);
  }
  return problems;
}

const reasons = Object.keys(typeOfReason)
  .sort()
  .map(reason => `"${reason}"`)
  .join(', ');

function hasLineBreak(text: string): boolean {
  return /[\r\n]/.test(text);
}

type Part = 'rule' | 'messageExpression';

const wrongType: Readonly<Record<Part, string>> = {
  rule: 'cel expression must evaluate to a bool',
  messageExpression: 'messageExpression must evaluate to a string',
};

interface CompiledPart {
  readonly expression?: Expression;
  readonly problems: readonly Problem[];
  readonly costs: readonly RuleCost[];
}

function compilePart(rule: ValidationRule, part: Part, site: TypedSite): CompiledPart {
  const path = `${site.path}.${part}`;
  const text = rule[part] ?? '';
  const refuse = (detail: string): CompiledPart => ({
    problems: [{ path, type: 'Invalid value', value: rule, detail }],
    costs: [],
  });
  try {
    const { charge } = site;
    const expression = compileText(text, { variables: variablesOf(rule, site.type.type), nextSlot: 2, charge });
    if (!isScalar(expression.type, part === 'rule' ? 'bool' : 'string')) {
      return refuse(wrongType[part]);
    }
    if (site.uncorrelated !== undefined && mentions(text, 'oldSelf')) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${site.uncorrelated}`;
      return refuse(detail);
    }
    const cost = costOfRule(expression.cost, {
      path,
      part,
      cardinality: site.cardinality,
      minBytes: site.type.minBytes,
    });
    return { expression, problems: cost.problems, costs: [cost] };
  } catch (error) {
    if (error instanceof CompileProblem) {
      const kind = part === 'rule' ? 'compilation failed' : 'messageExpression compilation failed';
      return refuse(`${kind}: ${error.message}`);
    }
    throw error;
  }
}

function variablesOf(rule: ValidationRule, type: CelType) {
  const old = rule.optionalOldSelf === true ? optionalOf(type) : type;
  return new Map([
    ['self', { type, slot: selfSlot, described: true }],
    ['oldSelf', { type: old, slot: oldSelfSlot, described: true }],
  ]);
}
