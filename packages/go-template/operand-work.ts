// The work of functions that take longer for a character or an element than the steps of a call pay for. It is charged
// to the common meter only, so the limits of one rendering are the same for all functions. `npm run bench -- units`
// measures what a unit takes.
import { Dict, List, type TemplateValue } from './value.ts';

/** The units for each character of a text that is not UTF-8. It is encoded here, and not by the platform. */
const unitsPerIllFormed = 12;

/** The units for each character of a text that a function reads one by one, with an expression or a table for each. */
const unitsPerMapped = 16;

/** The functions that read each character or element of an argument in this way. */
const mapping: ReadonlySet<string> = new Set(
  'title untitle swapcase initials upper lower nospace snakecase kebabcase camelcase js html urlquery quote squote printf urlParse urlJoin mustDateModify must_date_modify duration durationRound semverCompare'.split(
    ' ',
  ),
);

/** Returns the units of a call of the function, in addition to its steps. */
export function workOfOperands(name: string, args: readonly TemplateValue[]): number {
  const units = mapping.has(name) ? unitsPerMapped : 0;
  let work = 0;
  for (const arg of args) {
    work += (units + (isIllFormed(arg) ? unitsPerIllFormed : 0)) * lengthOf(arg);
  }
  return work;
}

function lengthOf(value: TemplateValue): number {
  if (typeof value === 'string') {
    return value.length;
  }
  return value instanceof List ? value.items.length : value instanceof Dict ? value.entries.size : 0;
}

function isIllFormed(value: TemplateValue): boolean {
  return typeof value === 'string' && !value.isWellFormed();
}
