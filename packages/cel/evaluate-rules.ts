// Runs the compiled rules of a schema on a value and its old value.
import { isJsonObject, type JsonObject, sameJson, WorkLimitError } from '@capi-serverless/apimachinery';
import { CostLimitError, createMeter, type RuleBudget } from './budget.ts';
import { type CompiledRule, oldSelfSlot, selfSlot } from './compile-rule.ts';
import type { CompiledRules } from './compile-rules.ts';
import { deepestJson, nestsTooDeep } from './depth.ts';
import type { Expression } from './expression.ts';
import { fromJson } from './from-json.ts';
import { childPath, keyPath, type Problem, type Reason, typeOfReason } from './problem.ts';
import { type CelValue, EvaluationProblem, none, some } from './value.ts';

/** The units of the common meter for the start of an evaluation, which has no cost in API servers. */
const unitsPerEvaluation = 1000;

export interface RuleProblem extends Problem {
  readonly reason: Reason;
}

export interface Evaluation {
  readonly value: unknown;
  /** The replaced value. Absent or undefined if there is none, or if it cannot be matched. */
  readonly oldValue?: unknown;
  /** The path of the value, prefixed to the paths of problems. */
  readonly path: string;
  /** The budget that all evaluations of one object use. */
  readonly budget: RuleBudget;
  /** Whether broken rules on unchanged values are ignored, except transition rules. Default: false. */
  readonly ratchet?: boolean;
}

/** The units for each value whose depth is counted. */
const unitsPerValue = 16;

/**
 * Returns all broken rules, parents before children. If the budget is exhausted, evaluation ends with a problem about
 * the budget.
 */
export function evaluateRules(rules: CompiledRules | undefined, evaluation: Evaluation): readonly RuleProblem[] {
  const { value, oldValue, path, budget, ratchet = false } = evaluation;
  const count = (values: number): void => budget.work(values * unitsPerValue);
  if (rules !== undefined && (nestsTooDeep(value, count) || nestsTooDeep(oldValue, count))) {
    const detail = `value nests deeper than ${deepestJson} levels`;
    return [{ path, type: 'Invalid value', reason: 'FieldValueInvalid', value: rules.schemaType, detail }];
  }
  const problems: RuleProblem[] = [];
  if (rules !== undefined) {
    walk(rules, { value, oldValue, path }, { problems, budget, ratchet });
  }
  return problems;
}

interface RuleTarget {
  readonly value: unknown;
  readonly oldValue: unknown;
  readonly path: string;
}

interface Run {
  readonly problems: RuleProblem[];
  readonly budget: RuleBudget;
  readonly ratchet: boolean;
}

/** Returns false if no further rule may run. */
function walk(rules: CompiledRules, target: RuleTarget, run: Run): boolean {
  const { value, oldValue, path } = target;
  if (value === undefined || value === null) {
    return true;
  }
  let same: boolean | undefined;
  const unchanged = (): boolean => {
    same ??= sameJson(value, oldValue);
    return same;
  };
  // The value is converted once for all rules, because a text of bytes may be long.
  let self: CelValue | undefined;
  const converted = (): CelValue => {
    self ??= fromJson(value, rules.type);
    return self;
  };
  if (!rules.here.every(rule => check(rule, rules, { target, run, unchanged, self: converted }))) {
    return false;
  }
  if (Array.isArray(value)) {
    return walkItems(rules, { value, oldValue, path }, run);
  }
  return !isJsonObject(value) || walkMembers(rules, { value, oldValue, path }, run);
}

function walkItems(
  rules: CompiledRules,
  target: RuleTarget & { readonly value: readonly unknown[] },
  run: Run,
): boolean {
  const { items, identity } = rules;
  if (items === undefined) {
    return true;
  }
  const oldItems = identity.kind === 'map' && Array.isArray(target.oldValue) ? target.oldValue : [];
  const keyOf = (item: unknown): string =>
    JSON.stringify(identity.keys.map(key => (isJsonObject(item) ? (item[key] ?? null) : null)));
  const known = new Map<string, unknown>(oldItems.map((item: unknown) => [keyOf(item), item]));
  return target.value.every((item, index) => {
    const oldValue = known.size === 0 ? undefined : known.get(keyOf(item));
    return walk(items, { value: item, oldValue, path: keyPath(target.path, index) }, run);
  });
}

function walkMembers(rules: CompiledRules, target: RuleTarget & { readonly value: JsonObject }, run: Run): boolean {
  const { value, path } = target;
  const old = rules.correlatesMembers && isJsonObject(target.oldValue) ? target.oldValue : {};
  for (const [name, member] of rules.members) {
    if (!walk(member, { value: own(value, name), oldValue: own(old, name), path: childPath(path, name) }, run)) {
      return false;
    }
  }
  const { values } = rules;
  return (
    values === undefined ||
    Object.keys(value).every(key =>
      walk(values, { value: value[key], oldValue: own(old, key), path: keyPath(path, key) }, run),
    )
  );
}

function own(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

interface At {
  readonly target: RuleTarget;
  readonly run: Run;
  /** Returns true if the value equals the old value. */
  unchanged(): boolean;
  /** Returns the value of `self`. Throws EvaluationProblem. */
  self(): CelValue;
}

/**
 * Returns true if the rule is skipped: a transition rule without an old value, or a rule that the unchanged value
 * already broke.
 */
function isSkipped(rule: CompiledRule, { target, run, unchanged }: At): boolean {
  const hasOld = target.oldValue !== undefined && target.oldValue !== null;
  return rule.transition ? !hasOld && !rule.optionalOldSelf : run.ratchet && hasOld && unchanged();
}

/** Returns false if no further rule may run. */
function check(rule: CompiledRule, rules: CompiledRules, at: At): boolean {
  const { target, run } = at;
  if (isSkipped(rule, at)) {
    return true;
  }
  const add = (path: string, reason: Reason, found: { readonly value: unknown; readonly detail: string }): void => {
    run.problems.push({ path, type: typeOfReason[reason], reason, ...found });
  };
  const addError = (detail: string): void => {
    add(target.path, 'FieldValueInvalid', { value: rules.schemaType, detail });
  };
  try {
    const slots = slotsOf(rule, rules, at);
    if (evaluate(rule.condition, slots, run.budget) !== true) {
      const path = rule.fieldPath === '' ? target.path : joined(target.path, rule.fieldPath);
      add(path, rule.reason, { value: shown(target.value), detail: messageOf(rule, slots, run.budget) });
    }
    return true;
  } catch (error) {
    if (error instanceof EvaluationProblem) {
      addError(detailOf(error, rule));
      return true;
    }
    if (error instanceof CostLimitError) {
      addError(exhausted(error, rule));
      return false;
    }
    if (error instanceof WorkLimitError) {
      addError(`${error.message}; no further validation rules will be run`);
      return false;
    }
    throw error;
  }
}

/** Objects and lists are too large to be printed. */
function shown(value: unknown): unknown {
  return typeof value === 'object' ? undefined : value;
}

function joined(path: string, suffix: string): string {
  return suffix.startsWith('[') ? `${path}${suffix}` : childPath(path, suffix);
}

function slotsOf(
  rule: CompiledRule,
  rules: CompiledRules,
  { target: { oldValue }, self }: At,
): (CelValue | undefined)[] {
  const slots: (CelValue | undefined)[] = [];
  slots[selfSlot] = self();
  const old = oldValue === undefined || oldValue === null ? undefined : fromJson(oldValue, rules.type);
  slots[oldSelfSlot] = rule.optionalOldSelf ? (old === undefined ? none : some(old)) : old;
  return slots;
}

function evaluate(expression: Expression, slots: (CelValue | undefined)[], budget: RuleBudget): CelValue {
  budget.work(unitsPerEvaluation);
  return expression.run({ slots, meter: createMeter(budget) });
}

/** If a message expression fails, the fixed message is used. */
function messageOf(rule: CompiledRule, slots: (CelValue | undefined)[], budget: RuleBudget): string {
  if (rule.messageExpression === undefined) {
    return rule.message;
  }
  try {
    const text = evaluate(rule.messageExpression, slots, budget);
    const usable = typeof text === 'string' && text.trim() !== '' && !/[\r\n]/.test(text.trim());
    return usable ? text.trim() : rule.message;
  } catch (error) {
    if (error instanceof EvaluationProblem) {
      return rule.message;
    }
    throw error;
  }
}

function detailOf(error: EvaluationProblem, rule: CompiledRule): string {
  return error.message.startsWith('no such overload')
    ? `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${rule.name}`
    : `${error.message} evaluating rule: ${rule.name}`;
}

function exhausted(error: CostLimitError, rule: CompiledRule): string {
  return error.of === 'rule'
    ? `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${rule.name}`
    : 'validation failed due to running out of cost budget, no further validation rules will be run';
}
