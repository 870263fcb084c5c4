// The text of several errors, in the wording of Kubernetes aggregates.

/** One error as it is; several errors in brackets without duplicates; "" for none. */
export function toAggregateText(errors: readonly string[]): string {
  const texts = [...new Set(errors)];
  return texts.length > 1 ? `[${texts.join(', ')}]` : texts.join('');
}
