// Passages of pages whose figures and lists are generated. Pure.

/** A passage that stands exactly once in its page. */
export interface Passage {
  /** The path below the project. */
  readonly page: string;
  /** `{}` is replaced by the next figure. Between line breaks, it stands for any number of lines. */
  readonly text: string;
  readonly figures: readonly string[];
}

/** Returns the page with these figures. Throws if the page does not have the passage, or has it more than once. */
export function withFigures(content: string, { page, text, figures }: Passage): string {
  const parts = text.split('{}');
  const [start = '', ...others] = parts.map(toPattern);
  const pattern = new RegExp(
    others.reduce((before, part) => `${before}${gapBetween(before, part)}${part}`, start),
    'g',
  );
  const found = content.match(pattern)?.length ?? 0;
  if (found !== 1) {
    throw new Error(`${page} has ${found} passages "${text}" instead of one. Change docs/figures.ts with the page`);
  }
  return content.replace(pattern, () => parts.map((part, at) => `${part}${figures[at] ?? ''}`).join(''));
}

function toPattern(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

function gapBetween(before: string, after: string): string {
  return before.endsWith('\n') && after.startsWith('\n') ? '[^]*?' : String.raw`[^\n]*?`;
}
