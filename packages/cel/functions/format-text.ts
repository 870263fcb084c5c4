// `'%s is %d'.format([...])`: the verbs of the strings extension.
// https://pkg.go.dev/github.com/google/cel-go/ext#hdr-Format
import type { RuleMeter } from '../budget.ts';
import { perCharacter } from '../overload.ts';
import { formatDuration, formatTimestamp } from '../time.ts';
import { type CelValue, EvaluationProblem, isKind, isObjectLike, itemsOf, typeNameOf } from '../value.ts';

const verb = /%(?:\.(\d{1,4}))?(.)|%/gs;
const defaultPrecision = 6;
const mostPrecision = 100;

/** Charges the text that it writes. */
export function formatText(text: string, values: readonly CelValue[], meter: RuleMeter): string {
  let used = 0;
  const result = text.replace(verb, (whole: string, precision: string | undefined, letter: string | undefined) => {
    if (letter === '%') {
      return '%';
    }
    const value = values[used];
    if (letter === undefined || value === undefined) {
      throw new EvaluationProblem(letter === undefined ? 'unexpected end of string' : `index ${used} out of range`);
    }
    used += 1;
    const written = write(letter, value, { precision: precision === undefined ? undefined : Number(precision), meter });
    meter.charge(Math.ceil((written.length + whole.length) * perCharacter));
    return written;
  });
  return result;
}

interface Writing {
  readonly precision: number | undefined;
  readonly meter: RuleMeter;
}

function write(letter: string, value: CelValue, { precision, meter }: Writing): string {
  switch (letter) {
    case 's':
      return plain(value, meter);
    case 'd':
      return String(whole(value, letter));
    case 'f':
      return fraction(value, letter).toFixed(bounded(precision));
    case 'e':
      return fraction(value, letter)
        .toExponential(bounded(precision))
        .replace(/e([+-])(\d)$/, 'e$10$2');
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : whole(value, letter).toString(2);
    case 'o':
      return whole(value, letter).toString(8);
    case 'x':
      return hexadecimal(value);
    case 'X':
      return hexadecimal(value).toUpperCase();
    default:
      throw new EvaluationProblem(`unrecognized formatting clause "${letter}"`);
  }
}

function bounded(precision = defaultPrecision): number {
  if (precision > mostPrecision) {
    throw new EvaluationProblem(`precision ${precision} is too large`);
  }
  return precision;
}

function refused(value: CelValue, letter: string): EvaluationProblem {
  return new EvaluationProblem(`error during formatting: %${letter} cannot show a ${typeNameOf(value)}`);
}

function whole(value: CelValue, letter: string): bigint {
  if (typeof value === 'bigint') {
    return value;
  }
  if (isKind(value, 'uint')) {
    return value.value;
  }
  throw refused(value, letter);
}

function fraction(value: CelValue, letter: string): number {
  if (typeof value === 'number' || typeof value === 'bigint') {
    return Number(value);
  }
  throw refused(value, letter);
}

function hexadecimal(value: CelValue): string {
  if (typeof value === 'string') {
    return hexadecimal(new TextEncoder().encode(value));
  }
  return value instanceof Uint8Array
    ? [...value].map(byte => byte.toString(16).padStart(2, '0')).join('')
    : whole(value, 'x').toString(16);
}

function plain(value: CelValue, meter: RuleMeter): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : value > 0 ? 'Infinity' : value < 0 ? '-Infinity' : 'NaN';
    case 'object':
      return value === null
        ? 'null'
        : value instanceof Uint8Array
          ? new TextDecoder().decode(value)
          : plainObject(value, meter);
  }
}

/** Texts within lists and maps are quoted. */
function within(value: CelValue, meter: RuleMeter): string {
  meter.charge(1 + Math.ceil(typeof value === 'string' ? value.length * perCharacter : 0));
  return typeof value === 'string' ? JSON.stringify(value) : plain(value, meter);
}

function plainObject(value: CelValue, meter: RuleMeter): string {
  if (!isObjectLike(value)) {
    return '';
  }
  switch (value.kind) {
    case 'list':
      return `[${itemsOf(value)
        .map(item => within(item, meter))
        .join(', ')}]`;
    case 'map':
      return `{${value
        .keys()
        .map(key => `${within(key, meter)}:${within(value.get(key) ?? null, meter)}`)
        .sort()
        .join(', ')}}`;
    case 'uint':
      return String(value.value);
    case 'duration':
      return formatDuration(value);
    case 'timestamp':
      return formatTimestamp(value);
    case 'type':
      return value.name;
    default:
      throw refused(value, 's');
  }
}
