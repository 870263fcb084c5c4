// Reads JSON of somebody who may mean harm: bounded in depth and number of values before anything is built of it.
import { type Checked, invalid, valid } from '../../api/checked.ts';
import { toSchemaProblem } from '../../api/schema-problem.ts';

/** Deeper than any schema of a variable is; shallow enough for every recursive reader. */
export const deepestJson = 200;
/** More than any topology has variables and patches; each costs memory many times its characters. */
export const mostJsonValues = 200_000;

/** The first value of the text; what follows it is ignored, as upstream does. */
export function readJson(text: string): Checked<unknown> {
  const end = scan(text);
  if (!end.ok) {
    return end;
  }
  try {
    const value: unknown = JSON.parse(text.slice(0, end.value));
    dropPrototypes(value);
    return valid(value);
  } catch (error) {
    return invalid(toSchemaProblem(error));
  }
}

const quote = 0x22;
const backslash = 0x5c;

/** Where the first value ends, if it is an object or a list; the whole text otherwise. Knows brackets and strings alone. */
function scan(text: string): Checked<number> {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at);
        break;
      case 0x7b: // {
      case 0x5b: // [
        depth += 1;
        values += 1;
        break;
      case 0x2c: // ,
        values += 1;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth -= 1;
        if (depth <= 0) {
          return valid(at + 1);
        }
        break;
    }
    if (depth > deepestJson) {
      return invalid(`nested deeper than ${deepestJson} levels`);
    }
    if (values > mostJsonValues) {
      return invalid(`more than ${mostJsonValues} values`);
    }
  }
  return text.trim() === '' ? invalid('the body is empty') : valid(text.length);
}

/** Of the string that begins at `start`: its closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== quote) {
    at += text.charCodeAt(at) === backslash ? 2 : 1;
  }
  return at;
}

/** No copy of what was read may come to another prototype by a key of that name. */
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
