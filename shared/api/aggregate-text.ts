// What several errors read as one, worded as Kubernetes words aggregates.

/** The one error; several in brackets, each told once; "" for none. */
export function toAggregateText(errors: readonly string[]): string {
  const texts = [...new Set(errors)];
  return texts.length > 1 ? `[${texts.join(', ')}]` : texts.join('');
}
