// Matches label selectors, as Kubernetes does.
// https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#resources-that-support-set-based-requirements
import type { NamespaceSelector } from '../../api/extension-config/reader.ts';

type Requirement = NamespaceSelector['matchExpressions'][number];
export type Labels = Readonly<Record<string, string>>;

/** An empty selector matches everything, so the labels are not read. */
export function isEmptySelector(selector: NamespaceSelector): boolean {
  return Object.keys(selector.matchLabels).length === 0 && selector.matchExpressions.length === 0;
}

/** Returns the reason why the selector is not valid, or `undefined` if it is valid. */
export function selectorProblem(selector: NamespaceSelector): string | undefined {
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

export function matchesLabels(selector: NamespaceSelector, labels: Labels): boolean {
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
