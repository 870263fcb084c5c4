// The Pods that a drain waits for, from the message of the condition Deleting. Pure.
import type { ConditionView } from '../../../shared/explain/conditions.ts';

/** Pods in the form `namespace/name`, and what each of them waits for. A message names at most three Pods of a line. */
export interface DrainLine {
  readonly pods: string;
  readonly why: string;
}

const budgetText = "cannot evict pod as it would violate the pod's disruption budget.";

/** The lines that begin with a list mark. Lines about later Pods follow when these are gone. */
export function drainLines({ message }: ConditionView): readonly DrainLine[] {
  return message.split('\n').flatMap(line => {
    const { pods, why } = /^\* Pods? (?<pods>[^:]+): (?<why>.+)$/.exec(line)?.groups ?? {};
    return pods === undefined || why === undefined ? [] : [{ pods, why }];
  });
}

/** Returns true if a PodDisruptionBudget refuses an eviction. */
export function isBudget({ why }: DrainLine): boolean {
  return why.startsWith(budgetText);
}

/** Names the budget, if the API server named it. */
export function lineText(line: DrainLine): string {
  const { pods, why } = line;
  if (!isBudget(line)) {
    return `Pod ${pods}: ${why}`;
  }
  const { budget } = /The disruption budget (?<budget>\S+) /.exec(why)?.groups ?? {};
  const by = budget === undefined ? 'a PodDisruptionBudget' : `PodDisruptionBudget ${budget}`;
  return `Pod ${pods}, whose eviction ${by} refuses: ${why.slice(budgetText.length).trim() || why}`;
}

/** The namespaces of these Pods. The text after the last Pod counts further ones. */
export function namespacesOf(lines: readonly DrainLine[]): readonly string[] {
  const pods = lines.flatMap(line => line.pods.split(', '));
  return [...new Set(pods.flatMap(pod => /^(?<namespace>.+)\//.exec(pod)?.groups?.['namespace'] ?? []))];
}
