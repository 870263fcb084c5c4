// Validates and prints the selector of a MachineDrainRule, as the Go library of Kubernetes does.
// https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1#LabelSelectorAsSelector
import {
  compareText,
  invalidValue,
  type JsonObject,
  type LabelSelector,
  printFieldErrors,
  problemsOfLabelKey,
  problemsOfLabelValue,
  selectorProblem,
} from '@capi-serverless/apimachinery';

/** Returns the problem of the first requirement that is not valid. `matchLabels` come first. */
export function problemOfSelector(selector: LabelSelector): string | undefined {
  const { matchLabels, matchExpressions } = selector;
  for (const [key, value] of sortedEntries(matchLabels)) {
    const problem = requirementProblem(key, [value]);
    if (problem !== undefined) {
      return problem;
    }
  }
  for (const expression of matchExpressions) {
    const problem =
      selectorProblem({ matchLabels: {}, matchExpressions: [expression] }) ??
      requirementProblem(expression.key, expression.values);
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}

function requirementProblem(key: string, values: readonly string[]): string | undefined {
  const errors = [
    { field: 'key', value: key, problems: problemsOfLabelKey(key) },
    ...values.map((value, index) => ({
      field: `values[${index}][${key}]`,
      value,
      problems: problemsOfLabelValue(value),
    })),
  ]
    .filter(({ problems }) => problems.length > 0)
    .map(({ field, value, problems }) => invalidValue(field, value, problems.join('; ')));
  return errors.length === 0 ? undefined : printFieldErrors(errors);
}

/** Returns the selector without empty members, with its labels sorted by key. */
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

function sortedEntries(labels: LabelSelector['matchLabels']): readonly (readonly [string, string])[] {
  return Object.entries(labels).toSorted(([a], [b]) => compareText(a, b));
}
