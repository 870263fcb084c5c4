// The work of functions that take longer for a character or an element than the steps of a call pay for. It is charged
// to the common meter only, so the limits of one rendering are the same for all functions. `npm run bench -- units`
// measures what a unit takes.
import { Dict, List, type TemplateValue } from './value.ts';

/** The units for each character of a text that is not UTF-8. It is encoded here, and not by the platform. */
const unitsPerIllFormed = 12;

/** The units for each character of a text that a function reads one by one, with an expression or a table for each. */
const unitsPerMapped = 16;

/** The units for each number that is compared, and for each that becomes an exact decimal. */
const unitsPerNumber = 32;
const unitsPerDecimal = 256;

/** The functions that read each character or element of an argument in this way. */
const mapping = setOf(
  'title untitle swapcase initials upper lower nospace snakecase kebabcase camelcase js html urlquery quote squote printf urlParse urlJoin mustDateModify must_date_modify duration durationRound semverCompare abbrev abbrevboth trimAll trimall wrap wrapWith',
);
const numeric = setOf('add max biggest min maxf minf mul');
const decimal = setOf('add1f addf subf mulf divf');

/** Returns the units of a call of the function, in addition to its steps. */
export function workOfOperands(name: string, args: readonly TemplateValue[]): number {
  const units = mapping.has(name) ? unitsPerMapped : 0;
  let work = args.length * unitsPerArgument(name);
  for (const arg of args) {
    work += units === 0 ? 0 : units * charactersOf(arg);
    work += isIllFormed(arg) ? unitsPerIllFormed * arg.length : 0;
  }
  return work;
}

function unitsPerArgument(name: string): number {
  return decimal.has(name) ? unitsPerDecimal : numeric.has(name) ? unitsPerNumber : 0;
}

function setOf(names: string): ReadonlySet<string> {
  return new Set(names.split(' '));
}

/** The characters of a text, or of the texts of a list or map, with one for each element. */
function charactersOf(value: TemplateValue): number {
  if (typeof value === 'string') {
    return value.length;
  }
  const parts = value instanceof List ? value.items : value instanceof Dict ? [...value.entries.values()] : [];
  return parts.reduce<number>((sum, part) => sum + 1 + (typeof part === 'string' ? part.length : 0), 0);
}

function isIllFormed(value: TemplateValue): value is string {
  return typeof value === 'string' && !value.isWellFormed();
}
