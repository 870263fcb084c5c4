// JSON of extensions and of API servers: deep, wide, cut, and with other text after it.
import { readOperations } from '@capi-serverless/apimachinery/json-patch';
import { problemOfTexts, readJson } from '../../../shared/runtime-hooks/rules/read-json.ts';
import { fc } from '../../support/property.ts';
import type { FuzzedParser } from '../parser.ts';

const fragment = fc.constantFrom(
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '"a"',
  '1',
  '-1e9',
  'null',
  '"__proto__":',
  ' ',
);
const text = fc.oneof(
  fc.json(),
  fc.tuple(fc.json(), fc.nat({ max: 300 })).map(([json, at]) => json.slice(0, at)),
  fc
    .tuple(fc.array(fragment, { maxLength: 6 }), fc.nat({ max: 3000 }), fc.json())
    .map(([parts, times, json]) => `${parts.join('').repeat(times)}${json}`),
);

/** Nothing is thrown, and a value is never larger than its text. */
function check(given: string): void {
  const read = readJson(given);
  const problem = problemOfTexts([given, given]);
  if (read.ok && JSON.stringify(read.value ?? null).length > 6 * given.length + 100) {
    throw new Error('the value is larger than its text');
  }
  if (read.ok && problem === undefined && given.trim() === '') {
    throw new Error('an empty text is a value');
  }
  readOperations(given);
}

export const parser: FuzzedParser = { name: 'json-texts', property: fc.property(text, check) };
