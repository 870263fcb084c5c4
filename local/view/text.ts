// Text for terminals: sanitized, measured in columns, truncated, coloured. Pure.

export type Style = 'plain' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan' | 'bold';

export interface Span {
  readonly text: string;
  readonly style: Style;
}

const codes: Readonly<Record<Exclude<Style, 'plain'>, number>> = {
  bold: 1,
  dim: 2,
  red: 31,
  green: 32,
  yellow: 33,
  cyan: 36,
};

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** East Asian wide and full-width forms and pictographs take two columns. https://www.unicode.org/reports/tr11/ */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
/** Control characters, characters that change the writing direction, and all line breaks. */
const control = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Returns one line without control characters, because text of objects and errors must not control the terminal. */
export function toPlainText(text: string): string {
  return text.replaceAll(control, ' ').trim();
}

/** Returns the number of columns of this text in a terminal. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text)) {
    width += wide.test(segment) ? 2 : 1;
  }
  return width;
}

/** Returns at most `width` columns. An ellipsis replaces the rest. */
export function truncate(spans: readonly Span[], width: number): readonly Span[] {
  if (widthOf(spans.map(({ text }) => text).join('')) <= width) {
    return spans;
  }
  const kept: Span[] = [];
  let left = Math.max(0, width - 1);
  for (const { text, style } of spans) {
    const start = cut(text, left);
    kept.push({ text: start, style });
    left -= widthOf(start);
    if (start !== text) {
      break;
    }
  }
  return width > 0 ? [...kept, { text: '…', style: 'plain' }] : [];
}

export function toText(spans: readonly Span[], color: boolean): string {
  return spans
    .map(({ text, style }) =>
      color && style !== 'plain' && text !== '' ? `\x1b[${codes[style]}m${text}\x1b[0m` : text,
    )
    .join('')
    .trimEnd();
}

function cut(text: string, width: number): string {
  let kept = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    used += widthOf(segment);
    if (used > width) {
      return kept;
    }
    kept += segment;
  }
  return kept;
}
