// Finds what is missing in a list, because its deletion happened while nothing was watched.

export class ListedNames {
  #names = new Set<string>();

  add(name: string): void {
    this.#names.add(name);
  }

  /** Returns the known names that no list contained since the last call. */
  missing(known: readonly string[]): readonly string[] {
    const listed = this.#names;
    this.#names = new Set();
    return known.filter(name => !listed.has(name));
  }
}
