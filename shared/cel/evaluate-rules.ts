// Runs the compiled rules of a schema on a value, and on what it was before.
import { sameJson } from '../api/json.ts';
import { type Budget, CostLimitError, createMeter } from './budget.ts';
import { type CompiledRule, oldSelfSlot, selfSlot } from './compile-rule.ts';
import type { CompiledRules } from './compile-rules.ts';
import { deepestJson, nestsTooDeep } from './depth.ts';
import type { Expression } from './expression.ts';
import { fromJson } from './from-json.ts';
import { childPath, keyPath, type Problem, type Reason, typeOfReason } from './problem.ts';
import { EvaluationProblem, none, some, type Value } from './value.ts';

export interface RuleProblem extends Problem {
  readonly reason: Reason;
}

export interface Evaluation {
  readonly value: unknown;
  /** What was there before; absent or undefined: nothing, or nothing that is known to be the same place. */
  readonly oldValue?: unknown;
  /** Of the value, in front of the paths of problems. */
  readonly path: string;
  /** Shared by all evaluations for one object. */
  readonly budget: Budget;
  /** Forgive broken rules where the value is as it was, unless the rule is about the change. Default false. */
  readonly ratchet?: boolean;
}

/** Every broken rule, parents before children. Ends early, with a problem that says so, where the budget does. */
export function evaluateRules(rules: CompiledRules | undefined, evaluation: Evaluation): readonly RuleProblem[] {
  const { value, oldValue, path, budget, ratchet = false } = evaluation;
  if (rules !== undefined && (nestsTooDeep(value) || nestsTooDeep(oldValue))) {
    const detail = `value nests deeper than ${deepestJson} levels`;
    return [{ path, type: 'Invalid value', reason: 'FieldValueInvalid', value: rules.schemaType, detail }];
  }
  const problems: RuleProblem[] = [];
  if (rules !== undefined) {
    walk(rules, { value, oldValue, path }, { problems, budget, ratchet });
  }
  return problems;
}

interface Place {
  readonly value: unknown;
  readonly oldValue: unknown;
  readonly path: string;
}

interface Run {
  readonly problems: RuleProblem[];
  readonly budget: Budget;
  readonly ratchet: boolean;
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** False once nothing more may run. */
function walk(rules: CompiledRules, place: Place, run: Run): boolean {
  const { value, oldValue, path } = place;
  if (value === undefined || value === null) {
    return true;
  }
  let same: boolean | undefined;
  const unchanged = (): boolean => {
    same ??= sameJson(value, oldValue);
    return same;
  };
  if (!rules.here.every(rule => check(rule, rules, { place, run, unchanged }))) {
    return false;
  }
  if (Array.isArray(value)) {
    return walkItems(rules, { value, oldValue, path }, run);
  }
  return !isObject(value) || walkMembers(rules, { value, oldValue, path }, run);
}

function walkItems(rules: CompiledRules, place: Place & { readonly value: readonly unknown[] }, run: Run): boolean {
  const { items, identity } = rules;
  if (items === undefined) {
    return true;
  }
  const oldItems = identity.kind === 'map' && Array.isArray(place.oldValue) ? place.oldValue : [];
  const keyOf = (item: unknown): string =>
    JSON.stringify(identity.keys.map(key => (isObject(item) ? (item[key] ?? null) : null)));
  const known = new Map<string, unknown>(oldItems.map((item: unknown) => [keyOf(item), item]));
  return place.value.every((item, index) => {
    const oldValue = known.size === 0 ? undefined : known.get(keyOf(item));
    return walk(items, { value: item, oldValue, path: keyPath(place.path, index) }, run);
  });
}

function walkMembers(rules: CompiledRules, place: Place & { readonly value: JsonObject }, run: Run): boolean {
  const { value, path } = place;
  const old = rules.correlatesMembers && isObject(place.oldValue) ? place.oldValue : {};
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
  readonly place: Place;
  readonly run: Run;
  /** Whether the value is as it was. */
  unchanged(): boolean;
}

/** Whether the rule has nothing to say here: a rule of changes without a change, or one that was broken before. */
function isSkipped(rule: CompiledRule, { place, run, unchanged }: At): boolean {
  const hasOld = place.oldValue !== undefined && place.oldValue !== null;
  return rule.transition ? !hasOld && !rule.optionalOldSelf : run.ratchet && hasOld && unchanged();
}

/** False once nothing more may run. */
function check(rule: CompiledRule, rules: CompiledRules, at: At): boolean {
  const { place, run } = at;
  if (isSkipped(rule, at)) {
    return true;
  }
  const add = (path: string, reason: Reason, told: { readonly value: unknown; readonly detail: string }): void => {
    run.problems.push({ path, type: typeOfReason[reason], reason, ...told });
  };
  const addError = (detail: string): void => {
    add(place.path, 'FieldValueInvalid', { value: rules.schemaType, detail });
  };
  try {
    const slots = slotsOf(rule, rules, place);
    if (evaluate(rule.condition, slots, run.budget) !== true) {
      const path = rule.fieldPath === '' ? place.path : joined(place.path, rule.fieldPath);
      add(path, rule.reason, { value: shown(place.value), detail: messageOf(rule, slots, run.budget) });
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
    throw error;
  }
}

/** Objects and lists are too large to be told. */
function shown(value: unknown): unknown {
  return typeof value === 'object' ? undefined : value;
}

function joined(path: string, suffix: string): string {
  return suffix.startsWith('[') ? `${path}${suffix}` : childPath(path, suffix);
}

function slotsOf(rule: CompiledRule, rules: CompiledRules, { value, oldValue }: Place): (Value | undefined)[] {
  const slots: (Value | undefined)[] = [];
  slots[selfSlot] = fromJson(value, rules.type);
  const old = oldValue === undefined || oldValue === null ? undefined : fromJson(oldValue, rules.type);
  slots[oldSelfSlot] = rule.optionalOldSelf ? (old === undefined ? none : some(old)) : old;
  return slots;
}

function evaluate(expression: Expression, slots: (Value | undefined)[], budget: Budget): Value {
  return expression.run({ slots, meter: createMeter(budget) });
}

/** A message that cannot be made is left out in favour of the fixed one. */
function messageOf(rule: CompiledRule, slots: (Value | undefined)[], budget: Budget): string {
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
