// Which MachineDrainRules apply to a Machine and to a Pod.
import {
  type Checked,
  compareText,
  invalid,
  invalidValue,
  isEmptySelector,
  type LabelSelector,
  type Labels,
  matchesLabels,
  printFieldError,
  selectorProblem,
  valid,
} from '@capi-serverless/apimachinery';
import type { MachineDrainRule } from '../../../../shared/api/machine-drain-rule/reader.ts';

interface Selecting {
  readonly machineLabels: Labels;
  readonly clusterLabels: Labels;
}

/**
 * Returns the rules for the Machine by name. A selector that is not valid refuses all rules of the namespace, also if its
 * rule is for other Machines.
 */
export function rulesOfMachine(
  rules: readonly MachineDrainRule[],
  { machineLabels, clusterLabels }: Selecting,
): Checked<readonly MachineDrainRule[]> {
  const sorted = [...rules].sort((a, b) => compareText(a.metadata.name, b.metadata.name));
  for (const rule of sorted) {
    const problem = ruleProblem(rule);
    if (problem !== undefined) {
      return invalid(`invalid selectors in MachineDrainRule ${rule.metadata.name}: ${problem}`);
    }
  }
  return valid(
    sorted.filter(({ spec }) =>
      isAnyOf(
        spec.machines,
        ({ selector, clusterSelector }) => selects(selector, machineLabels) && selects(clusterSelector, clusterLabels),
      ),
    ),
  );
}

interface LabelsOfPod {
  readonly podLabels: Labels;
  /** The labels of the Namespace of the Pod. Not used if no rule selects Namespaces. */
  readonly namespaceLabels: Labels;
}

export function appliesToPod({ spec }: MachineDrainRule, { podLabels, namespaceLabels }: LabelsOfPod): boolean {
  return isAnyOf(
    spec.pods,
    ({ selector, namespaceSelector }) => selects(selector, podLabels) && selects(namespaceSelector, namespaceLabels),
  );
}

/** Returns true if the labels of Namespaces determine whether a rule applies. Otherwise Namespaces are not read. */
export function needsNamespaces(rules: readonly MachineDrainRule[]): boolean {
  return rules.some(({ spec }) =>
    spec.pods.some(({ namespaceSelector }) => namespaceSelector !== undefined && !isEmptySelector(namespaceSelector)),
  );
}

/** An empty list selects everything. */
function isAnyOf<T>(items: readonly T[], isMeant: (item: T) => boolean): boolean {
  return items.length === 0 || items.some(isMeant);
}

function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  return selector === undefined || matchesLabels(selector, labels);
}

function ruleProblem({ spec }: MachineDrainRule): string | undefined {
  const selectors = [
    ...spec.machines.flatMap(({ selector, clusterSelector }, index) => [
      { path: `spec.machines[${index}].selector`, selector },
      { path: `spec.machines[${index}].clusterSelector`, selector: clusterSelector },
    ]),
    ...spec.pods.flatMap(({ selector, namespaceSelector }, index) => [
      { path: `spec.pods[${index}].selector`, selector },
      { path: `spec.pods[${index}].namespaceSelector`, selector: namespaceSelector },
    ]),
  ];
  for (const { path, selector } of selectors) {
    const problem = selector === undefined ? undefined : selectorProblem(selector);
    if (problem !== undefined) {
      return printFieldError(invalidValue(path, JSON.stringify(selector), problem));
    }
  }
  return undefined;
}
