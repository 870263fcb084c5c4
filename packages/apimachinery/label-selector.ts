// Matches and prints label selectors, as Kubernetes does.
// https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#resources-that-support-set-based-requirements

import { type FieldError, invalidValue, printFieldErrors, quote } from './field-error.ts';
import type { JsonObject } from './json.ts';
import { problemsOfLabelKey, problemsOfLabelValue } from './names/label-rules.ts';
import { compareText } from './text-order.ts';

/** `operator` is any text. `selectorProblem` validates it. */
interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

export interface LabelSelector {
  readonly matchLabels: Readonly<Record<string, string>>;
  readonly matchExpressions: readonly Requirement[];
}

export type Labels = Readonly<Record<string, string>>;

/** An empty selector matches everything, so the labels are not read. */
export function isEmptySelector(selector: LabelSelector): boolean {
  return Object.keys(selector.matchLabels).length === 0 && selector.matchExpressions.length === 0;
}

/**
 * Returns the problem of the first requirement that is not valid, `matchLabels` first, or `undefined` if all are valid.
 * The texts are those of Kubernetes: https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1#LabelSelectorAsSelector
 */
export function selectorProblem({ matchLabels, matchExpressions }: LabelSelector): string | undefined {
  for (const [key, value] of sortedEntries(matchLabels)) {
    const problem = toProblem([...keyProblems(key), ...valueProblems(key, [value])]);
    if (problem !== undefined) {
      return problem;
    }
  }
  for (const { key, operator, values } of matchExpressions) {
    if (!operators.includes(operator)) {
      return `${quote(operator)} is not a valid label selector operator`;
    }
    const problem = toProblem([...keyProblems(key), ...countProblems(operator, values), ...valueProblems(key, values)]);
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

function toProblem(errors: readonly FieldError[]): string | undefined {
  return errors.length === 0 ? undefined : printFieldErrors(errors);
}

function keyProblems(key: string): readonly FieldError[] {
  const problems = problemsOfLabelKey(key);
  return problems.length === 0 ? [] : [invalidValue('key', key, problems.join('; '))];
}

function countProblems(operator: string, values: readonly string[]): readonly FieldError[] {
  const needsValues = operator === 'In' || operator === 'NotIn';
  if (needsValues === values.length > 0) {
    return [];
  }
  return needsValues
    ? [invalidValue('values', null, "for 'in', 'notin' operators, values set can't be empty")]
    : [invalidValue('values', values, 'values set must be empty for exists and does not exist')];
}

function valueProblems(key: string, values: readonly string[]): readonly FieldError[] {
  return values.flatMap((value, index) => {
    const problems = problemsOfLabelValue(value);
    return problems.length === 0 ? [] : [invalidValue(`values[${index}][${key}]`, value, problems.join('; '))];
  });
}

/** Returns the selector without empty members, with its labels sorted by key, as error messages print it. */
export function toPrintedSelector({ matchLabels, matchExpressions }: LabelSelector): JsonObject {
  const labels = sortedEntries(matchLabels);
  return {
    ...(labels.length === 0 ? {} : { matchLabels: Object.fromEntries(labels) }),
    ...(matchExpressions.length === 0
      ? {}
      : {
          matchExpressions: matchExpressions.map(({ key, operator, values }) => ({
            key,
            operator,
            ...(values.length === 0 ? {} : { values }),
          })),
        }),
  };
}

function sortedEntries(labels: Labels): readonly (readonly [string, string])[] {
  return Object.entries(labels).toSorted(([a], [b]) => compareText(a, b));
}

export function matchesLabels(selector: LabelSelector, labels: Labels): boolean {
  const equal = Object.entries(selector.matchLabels).every(([key, value]) => labelOf(labels, key) === value);
  return equal && selector.matchExpressions.every(requirement => isMet(requirement, labelOf(labels, requirement.key)));
}

function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function isMet({ operator, values }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

/** Returns a valid selector in the syntax of queries, sorted by key: `a=1,b in (x,y),!c`. */
export function toSelectorText({ matchLabels, matchExpressions }: LabelSelector): string {
  const equal = Object.entries(matchLabels).map(([key, value]) => ({ key, text: `${key}=${value}` }));
  const others = matchExpressions.map(requirement => ({ key: requirement.key, text: printRequirement(requirement) }));
  return [...equal, ...others]
    .toSorted((a, b) => compareText(a.key, b.key))
    .map(({ text }) => text)
    .join(',');
}

function printRequirement({ key, operator, values }: Requirement): string {
  const list = `(${values.toSorted(compareText).join(',')})`;
  const texts = new Map([
    ['In', `${key} in ${list}`],
    ['NotIn', `${key} notin ${list}`],
    ['DoesNotExist', `!${key}`],
  ]);
  return texts.get(operator) ?? key;
}
