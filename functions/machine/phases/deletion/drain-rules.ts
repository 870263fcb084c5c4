// Which MachineDrainRules apply to a Machine and to a Pod.
import {
  type Checked,
  compareText,
  type FieldError,
  invalid,
  invalidValue,
  isEmptySelector,
  type LabelSelector,
  type Labels,
  matchesLabels,
  printFieldErrors,
  selectorProblem,
  toAggregateText,
  toPrintedSelector,
  valid,
} from '@capi-serverless/apimachinery';
import type { MachineDrainRule } from '../../../../shared/api/machine-drain-rule/reader.ts';

interface Selecting {
  readonly machineLabels: Labels;
  readonly clusterLabels: Labels;
}

/**
 * Returns the rules for the Machine by name. A selector that is not valid refuses all rules of the namespace, also if its
 * rule is for other Machines. The error contains all such selectors.
 */
export function rulesOfMachine(
  rules: readonly MachineDrainRule[],
  { machineLabels, clusterLabels }: Selecting,
): Checked<readonly MachineDrainRule[]> {
  const sorted = [...rules].sort((a, b) => compareText(a.metadata.name, b.metadata.name));
  const problems = sorted.flatMap(rule => {
    const errors = selectorErrors(rule);
    return errors.length === 0
      ? []
      : [`invalid selectors in MachineDrainRule ${rule.metadata.name}: ${printFieldErrors(errors)}`];
  });
  if (problems.length > 0) {
    return invalid(toAggregateText(limited(problems)));
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

/** The text becomes the message of a condition, whose length the API server limits. */
const maxRules = 10;

function limited(problems: readonly string[]): readonly string[] {
  const more = problems.length - maxRules;
  return more > 0 ? [...problems.slice(0, maxRules), `invalid selectors in ${more} more`] : problems;
}

function selectorErrors({ spec }: MachineDrainRule): readonly FieldError[] {
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
  return selectors.flatMap(({ path, selector }) => {
    const problem = selector === undefined ? undefined : selectorProblem(selector);
    return selector === undefined || problem === undefined
      ? []
      : [invalidValue(path, toPrintedSelector(selector), problem)];
  });
}
