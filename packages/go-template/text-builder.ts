// Builds texts from many short parts. JavaScript stores a concatenated text as a tree of its parts, which needs much
// more memory than the text.

const partsPerChunk = 4096;

export class TextBuilder {
  readonly #chunks: string[] = [];
  #parts: string[] = [];

  add(part: string): void {
    this.#parts.push(part);
    if (this.#parts.length >= partsPerChunk) {
      this.#chunks.push(this.#parts.join(''));
      this.#parts = [];
    }
  }

  finish(): string {
    return this.#chunks.join('') + this.#parts.join('');
  }
}

/** Returns the text with each character replaced. */
export function mapCharacters(text: string, map: (character: string) => string): string {
  const made = new TextBuilder();
  for (const character of text) {
    made.add(map(character));
  }
  return made.finish();
}

/** Returns a text with one part per byte. */
export function mapBytes(bytes: Uint8Array, map: (byte: number) => string): string {
  const made = new TextBuilder();
  for (const byte of bytes) {
    made.add(map(byte));
  }
  return made.finish();
}
