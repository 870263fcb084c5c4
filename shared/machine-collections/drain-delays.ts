// The likely reasons of a slow drain, derived from the message of the condition Deleting of a Machine.

/** Pods that a PodDisruptionBudget protects have this text in the message. */
export const budgetText = "cannot evict pod as it would violate the pod's disruption budget.";

/** Texts of the message, with the name of the reason. */
const delays: readonly { readonly text: string; readonly name: string }[] = [
  { text: budgetText, name: 'PodDisruptionBudgets' },
  { text: 'deletionTimestamp set, but still not removed from the Node', name: 'Pods not terminating' },
  { text: 'failed to evict Pod', name: 'Pod eviction errors' },
  { text: 'waiting for completion', name: 'Pods not completed yet' },
];

/** Returns the likely reasons why the drains with these messages take long. */
export function delaysIn(...messages: readonly string[]): readonly string[] {
  return delays.filter(({ text }) => messages.some(message => message.includes(text))).map(({ name }) => name);
}

/** A deletion is called slow after this time. */
export const slowDeletionMs = 15 * 60_000;
/** A drain is called slow after this time. */
export const slowDrainMs = 5 * 60_000;
