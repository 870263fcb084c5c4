// Converts values to text, for `{{ .x }}`, `print` and `%v`. https://pkg.go.dev/fmt#hdr-Printing
import { byteLength, sortedByBytes } from './bytes.ts';
import { formatFloat } from './float.ts';
import type { RenderMeter } from './limits.ts';
import { Dict, Int, List, Opaque, type TemplateValue } from './value.ts';

/** The number of steps for sorting, because each text is compared with several other texts. */
export function spendSort(texts: readonly string[], meter: RenderMeter): void {
  const rounds = Math.ceil(Math.log2(texts.length + 1));
  meter.spend(rounds * texts.reduce((sum, text) => sum + 1 + text.length / comparedPerStep, 0));
}

const comparedPerStep = 32;

export function sortedEntries(dict: Dict, meter: RenderMeter): readonly (readonly [string, TemplateValue])[] {
  spendSort([...dict.entries.keys()], meter);
  return sortedByBytes([...dict.entries], ([key]) => key);
}

/** Returns the form of `%v`. Throws LimitError if the value is too deep or too large. */
export function printed(value: TemplateValue, meter: RenderMeter, depth = 0): string {
  meter.visit(depth);
  if (value === null || value === undefined) {
    return '<nil>';
  }
  if (typeof value === 'string') {
    meter.text(value.length);
    return value;
  }
  if (typeof value === 'number') {
    return formatFloat(value);
  }
  if (typeof value === 'boolean') {
    return String(value);
  }
  if (value instanceof Int) {
    return value.value.toString();
  }
  if (value instanceof Opaque) {
    meter.text(value.text.length);
    return value.text;
  }
  const parts =
    value instanceof List
      ? value.items.map(item => printed(item, meter, depth + 1))
      : sortedEntries(value, meter).map(([key, item]) => `${key}:${printed(item, meter, depth + 1)}`);
  const joined = joinHeld(parts, ' ', meter);
  return value instanceof Dict ? `map[${joined}]` : `[${joined}]`;
}

/** Joins texts, each of which may be as large as a value may be. Throws LimitError before the joined text exists. */
export function joinHeld(parts: readonly string[], separator: string, meter: RenderMeter): string {
  meter.hold(parts.reduce((sum, part) => sum + part.length + separator.length, 0));
  return parts.join(separator);
}

/** Returns the form of `print`: a space between two values if neither is a text. */
export function printedAll(values: readonly TemplateValue[], meter: RenderMeter): string {
  const parts = values.map((value, index) => {
    const isApart = index > 0 && typeof value !== 'string' && typeof values[index - 1] !== 'string';
    return (isApart ? ' ' : '') + printed(value, meter);
  });
  const text = joinHeld(parts, '', meter);
  meter.text(byteLength(text));
  return text;
}

/** Returns the form of `println`: a space between all values, and a line break. */
export function printedLine(values: readonly TemplateValue[], meter: RenderMeter): string {
  const parts = values.map(value => printed(value, meter));
  const text = `${joinHeld(parts, ' ', meter)}\n`;
  meter.text(byteLength(text));
  return text;
}
