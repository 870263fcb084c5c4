// The text of several errors, in the wording of Kubernetes aggregates.

/** Returns one error unchanged, several errors in brackets without duplicates, and "" for none. */
export function toAggregateText(errors: readonly string[]): string {
  const texts = [...new Set(errors)];
  return texts.length > 1 ? `[${texts.join(', ')}]` : texts.join('');
}
