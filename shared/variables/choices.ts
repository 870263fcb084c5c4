// The choices of a schema (`enum`), prepared once for all values of one check.
import { quote, toSortedJson } from '@capi-serverless/apimachinery';
import { jsonTypeOf, toComparableText } from './json-type.ts';
import type { Work } from './work.ts';

interface Choices {
  /** Equal texts mean equal values. */
  readonly texts: ReadonlySet<string>;
  readonly integers: ReadonlySet<number>;
  readonly otherNumbers: ReadonlySet<number>;
  /** How messages show the choices. */
  readonly shown: readonly string[];
  /** The characters of `shown`. */
  readonly shownLength: number;
}

/** A message with all choices is copied when it is compared with others, sorted and printed. */
const stepsPerShownCharacter = 8;

const prepared = new WeakMap<Work, WeakMap<readonly unknown[], Choices>>();

/**
 * Returns how messages show the choices if the value is none of them. Returns `undefined` if it is one, or if there are
 * none. Throws TooMuchWorkError.
 */
export function missedChoices(
  value: unknown,
  choices: readonly unknown[] | undefined,
  work: Work,
): readonly string[] | undefined {
  const among = choices && prepare(choices, work);
  if (among === undefined || among.texts.size === 0 || isAmong(value, among, work)) {
    return undefined;
  }
  work.spend(among.shownLength * stepsPerShownCharacter);
  return among.shown;
}

/** Each check pays for its preparation, so that its work does not depend on earlier checks. */
function prepare(choices: readonly unknown[], work: Work): Choices {
  const ofWork = prepared.get(work) ?? new WeakMap<readonly unknown[], Choices>();
  prepared.set(work, ofWork);
  const known = ofWork.get(choices);
  if (known !== undefined) {
    return known;
  }
  // Null is never a choice.
  const values = choices.filter(value => value !== null);
  const texts = values.map(value => toPaidText(value, work));
  const numbers = values.filter(value => typeof value === 'number');
  const integers = numbers.filter(value => jsonTypeOf(value) === 'integer');
  const shown = values.map(value => quote(typeof value === 'string' ? value : toSortedJson(value)));
  const made = {
    texts: new Set(texts),
    integers: new Set(integers),
    otherNumbers: new Set(numbers.filter(value => jsonTypeOf(value) !== 'integer')),
    shown,
    shownLength: shown.reduce((sum, { length }) => sum + length, 0),
  };
  ofWork.set(choices, made);
  return made;
}

function toPaidText(value: unknown, work: Work): string {
  const text = toComparableText(value ?? null);
  work.spend(text.length);
  return text;
}

/** As in API servers, numbers are first converted to the type of the choice: 1.5 equals 1, and 97 equals "a". */
function isAmong(value: unknown, { texts, integers, otherNumbers }: Choices, work: Work): boolean {
  if (typeof value !== 'number') {
    return texts.has(toPaidText(value, work));
  }
  const isCharacter = jsonTypeOf(value) === 'integer' && texts.has(toComparableText(characterOf(value)));
  return isCharacter || integers.has(Math.trunc(value)) || otherNumbers.has(value);
}

const replacementCharacter = '\ufffd';

function characterOf(code: number): string {
  const isCharacter = code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : replacementCharacter;
}
