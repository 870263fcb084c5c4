// The differences between upstream and us that a comparison finds. Those with a known reason are only counted.

export class FoundDifferences<Difference> {
  readonly #reasonOf: (difference: Difference) => string | undefined;
  readonly #known = new Map<string, number>();
  readonly #unknown: Difference[] = [];

  constructor(reasonOf: (difference: Difference) => string | undefined) {
    this.#reasonOf = reasonOf;
  }

  add(difference: Difference): void {
    const reason = this.#reasonOf(difference);
    if (reason === undefined) {
      this.#unknown.push(difference);
    } else {
      this.#known.set(reason, (this.#known.get(reason) ?? 0) + 1);
    }
  }

  /** `differences` are those without a known reason. */
  result(): { readonly known: Readonly<Record<string, number>>; readonly differences: readonly Difference[] } {
    return { known: Object.fromEntries(this.#known), differences: this.#unknown };
  }
}
