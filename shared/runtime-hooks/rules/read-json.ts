// Parses untrusted JSON. Depth and number of values are limited before objects are built.
import { type Checked, invalid, toSchemaProblem, valid } from '@capi-serverless/apimachinery';

/** The maximum depth. It is larger than the depth limit of variables, but safe for recursive readers. */
export const deepestJson = 200;
/**
 * The maximum number of values. It is larger than the number in variables and patches of any topology. Each value needs
 * many times its characters in memory.
 */
export const mostJsonValues = 200_000;

/** Returns the first value of the text. Like Go's decoder, ignores the text after it. */
export function readJson(text: string): Checked<unknown> {
  const end = scan(text);
  if (!end.ok) {
    return end;
  }
  try {
    const value: unknown = JSON.parse(text.slice(0, end.value.at));
    dropPrototypes(value);
    return valid(value);
  } catch (error) {
    return invalid(toSchemaProblem(error));
  }
}

const quote = 0x22;
const backslash = 0x5c;

/**
 * Returns why JSON texts inside an answer are not read, before they are parsed: one is too deep, or all of them have too
 * many values. Undefined if they are within the limits. An empty text has no value.
 */
export function problemOfTexts(texts: readonly string[]): string | undefined {
  let values = 0;
  for (const text of texts) {
    const scanned = text.trim() === '' ? valid({ values: 0 }) : scan(text, mostJsonValues - values);
    if (!scanned.ok) {
      return scanned.error;
    }
    values += scanned.value.values;
  }
  return undefined;
}

interface Scanned {
  readonly at: number;
  readonly values: number;
}

/** Returns the end of the first value if it is an object or a list. Otherwise returns the end of the text. */
function scan(text: string, most = mostJsonValues): Checked<Scanned> {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at);
        break;
      case 0x7b: // opening brace
      case 0x5b: // opening bracket
        depth += 1;
        values += 1;
        break;
      case 0x2c: // comma
        values += 1;
        break;
      case 0x7d: // closing brace
      case 0x5d: // closing bracket
        depth -= 1;
        if (depth <= 0) {
          return valid({ at: at + 1, values });
        }
        break;
    }
    if (depth > deepestJson) {
      return invalid(`nested deeper than ${deepestJson} levels`);
    }
    if (values > most) {
      return invalid(`more than ${mostJsonValues} values`);
    }
  }
  return text.trim() === '' ? invalid('the body is empty') : valid({ at: text.length, values });
}

/** Returns the index of the closing quote of the string that begins at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== quote) {
    at += text.charCodeAt(at) === backslash ? 2 : 1;
  }
  return at;
}

/** Drops members with the name `__proto__`, so that copies of the value keep their prototype. */
function dropPrototypes(value: unknown): void {
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'object' && next !== null) {
      if (Object.hasOwn(next, '__proto__')) {
        Reflect.deleteProperty(next, '__proto__');
      }
      for (const inner of Object.values(next)) {
        open.push(inner ?? '');
      }
    }
  }
}
