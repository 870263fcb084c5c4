// Text of objects in Markdown: it cannot become markup, a link, a mention or a command of GitHub or GitLab. Pure.
import { toPlainText } from '../../local/view/text.ts';
import { toSafeLine } from './report.ts';

/** The maximum number of characters of a text, and of a line in a block. */
const mostTextCharacters = 300;
const mostLineCharacters = 500;

/** Letters, digits and marks without a meaning in Markdown. */
const special = /[^\p{L}\p{N} .,;%=/()'-]/gu;
const zeroWidthSpace = '&#8203;';

/** Returns one line. Every character with a meaning is an entity. A mark between `@` and a name ends mentions. */
export function toMarkdownText(text: string): string {
  return shorten(toPlainText(text), mostTextCharacters)
    .replaceAll(special, toEntity)
    .replaceAll(/\bwww\./gi, match => `${match.slice(0, -1)}&#46;`);
}

/** Returns one line in a fixed-width font. Mentions and references have no effect there. */
export function toCode(text: string): string {
  return `<code>${toMarkdownText(text)}</code>`;
}

/** Returns a block of code with at most this number of characters. Its fence is longer than any fence in the lines. */
export function fence(lines: readonly string[], language: string, characters: number): string {
  // Most plans fit. Of the others, no more lines are read than could fit.
  const safe = lines.slice(0, characters).flatMap(line => toSafeLine(line).split('\n'));
  const kept = cut(
    safe.map(line => shorten(line, mostLineCharacters)),
    characters,
  );
  const left = Math.max(lines.length, safe.length) - kept.length;
  const runs = kept.flatMap(line => line.match(/`+/g) ?? []).map(({ length }) => length);
  const mark = '`'.repeat(Math.max(3, ...runs.map(length => length + 1)));
  return [`${mark}${language}`, ...kept, ...(left === 0 ? [] : [` ${left} more lines`]), mark].join('\n');
}

/** Returns the first items that have at most this number of characters together. */
export function cut(items: readonly string[], characters: number): readonly string[] {
  let sum = 0;
  const end = items.findIndex(item => {
    sum += item.length + 2;
    return sum > characters;
  });
  return end < 0 ? items : items.slice(0, end);
}

function toEntity(character: string): string {
  const entity = `&#${character.codePointAt(0)};`;
  return character === '@' || character === '#' ? `${entity}${zeroWidthSpace}` : entity;
}

function shorten(text: string, characters: number): string {
  // A code point has at most two units.
  const points = [...text.slice(0, 2 * characters + 1)];
  return points.length <= characters ? text : `${points.slice(0, characters).join('')}…`;
}
