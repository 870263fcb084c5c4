// Matches and prints label selectors, as Kubernetes does.
// https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#resources-that-support-set-based-requirements

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

/** Returns the reason why the selector is not valid, or `undefined` if it is valid. */
export function selectorProblem(selector: LabelSelector): string | undefined {
  for (const { key, operator, values } of selector.matchExpressions) {
    switch (operator) {
      case 'In':
      case 'NotIn':
        if (values.length === 0) {
          return `values of ${operator} for key "${key}" must not be empty`;
        }
        break;
      case 'Exists':
      case 'DoesNotExist':
        if (values.length > 0) {
          return `values of ${operator} for key "${key}" must be empty`;
        }
        break;
      default:
        return `"${operator}" is not a valid label selector operator`;
    }
  }
  return undefined;
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
