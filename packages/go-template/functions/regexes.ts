// Regular expressions: RE2 with linear time, as in Go.
// https://masterminds.github.io/sprig/strings.html#regexmatch-mustregexmatch

import { compileOnce, compileWork, isTooLarge, patternLimits, searchWork } from '@capi-serverless/apimachinery/pattern';
import { type RE2JS, RE2JSException } from 're2js';
import { define, FunctionError, type FunctionTable } from '../call.ts';
import { LimitError, type RenderMeter, unitsPerStep } from '../limits.ts';
import { listOrNil } from '../value.ts';

/** The number of instructions per character that are treated as one step. */
const instructionsPerStep = 25;

interface Match {
  readonly start: number;
  readonly end: number;
  /** The groups by number and name. Undefined if the group did not match, or if the caller did not request groups. */
  readonly group: (name: string) => string | undefined;
}

function compiled(source: string, meter: RenderMeter): RE2JS {
  if (source.length > patternLimits.length) {
    throw new LimitError(`a regular expression of more than ${patternLimits.length} characters`);
  }
  if (isTooLarge(source)) {
    throw new LimitError(
      `a regular expression of more than ${patternLimits.instructions} instructions, or with too large classes`,
    );
  }
  meter.spend(compileWork(source) / unitsPerStep);
  try {
    return compileOnce(source);
  } catch (error) {
    if (error instanceof RE2JSException) {
      throw new FunctionError(error.message);
    }
    throw error;
  }
}

interface Search {
  readonly most: number;
  readonly meter: RenderMeter;
  /** Whether the groups of each match are read. This needs a second search. */
  readonly groups?: boolean;
}

function matchesOf(source: string, text: string, { most, meter, groups = false }: Search): readonly Match[] {
  const pattern = compiled(source, meter);
  const work = searchWork(source, pattern.programSize(), text.length);
  meter.spend(work.first / instructionsPerStep);
  const matcher = pattern.matcher(text);
  const names = pattern.namedGroups();
  const count = groups ? matcher.groupCount() : 0;
  const found: Match[] = [];
  let after = -1;
  while ((most < 0 || found.length < most) && matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()];
    meter.spend(1 + (work.next(end) + (count > 0 ? work.next(start) : 0)) / instructionsPerStep);
    // An empty match directly after the previous match is ignored.
    if (start === end && start === after) {
      continue;
    }
    after = end;
    const texts = Array.from({ length: count + 1 }, (_, at) => matcher.group(at) ?? undefined);
    found.push({ start, end, group: name => texts[/^[0-9]+$/.test(name) ? Number(name) : (names[name] ?? -1)] });
  }
  return found;
}

/** Expands `$1`, `${1}`, `$name` and `${name}`. The longest name is used, and `$$` is a dollar sign. */
const references = /\$(?:\$|([A-Za-z0-9_]+)|\{([A-Za-z0-9_]+)\})/g;

function expanded(template: string, match: Match): string {
  return template.replaceAll(references, (whole: string, plain: string | undefined, braced: string | undefined) =>
    whole === '$$' ? '$' : (match.group(plain ?? braced ?? '') ?? ''),
  );
}

interface Replacing {
  readonly by: (match: Match) => string;
  readonly groups: boolean;
  readonly meter: RenderMeter;
}

function replacedAll(source: string, text: string, { by, groups, meter }: Replacing): string {
  const parts: string[] = [];
  let size = 0;
  let at = 0;
  for (const match of matchesOf(source, text, { most: -1, meter, groups })) {
    const part = text.slice(at, match.start) + by(match);
    size += part.length;
    meter.text(part.length);
    meter.hold(size);
    parts.push(part);
    at = match.end;
  }
  return [...parts, text.slice(at)].join('');
}

function split(
  source: string,
  text: string,
  { most, meter }: { readonly most: number; readonly meter: RenderMeter },
): readonly string[] {
  if (most === 0) {
    return [];
  }
  if (source !== '' && text === '') {
    compiled(source, meter);
    return [''];
  }
  const parts: string[] = [];
  let at = 0;
  let lastStart = 0;
  for (const { start, end } of matchesOf(source, text, { most, meter })) {
    if (most > 0 && parts.length === most - 1) {
      break;
    }
    if (end !== 0) {
      parts.push(text.slice(at, start));
    }
    at = end;
    lastStart = start;
  }
  return lastStart === text.length ? parts : [...parts, text.slice(at)];
}

function matches(source: string, text: string, meter: RenderMeter): boolean {
  return matchesOf(source, text, { most: 1, meter }).length > 0;
}

function first(source: string, text: string, meter: RenderMeter): string {
  const [match] = matchesOf(source, text, { most: 1, meter });
  return match === undefined ? '' : text.slice(match.start, match.end);
}

/** An invalid expression has no match. */
function matchesIfValid(source: string, text: string, meter: RenderMeter): boolean {
  try {
    return matches(source, text, meter);
  } catch (error) {
    if (error instanceof FunctionError) {
      return false;
    }
    throw error;
  }
}

const regexFind = define(['string', 'string'], ([source, text], meter) => first(source, text, meter));
const regexFindAll = define(['string', 'string', 'int'], ([source, text, most], meter) =>
  listOrNil(
    matchesOf(source, text, { most, meter }).map(({ start, end }) => text.slice(start, end)),
    'string',
  ),
);
const regexReplaceAll = define(['string', 'string', 'string'], ([source, text, template], meter) =>
  replacedAll(source, text, { by: match => expanded(template, match), groups: template.includes('$'), meter }),
);
const regexReplaceAllLiteral = define(['string', 'string', 'string'], ([source, text, literal], meter) =>
  replacedAll(source, text, { by: () => literal, groups: false, meter }),
);
const regexSplit = define(['string', 'string', 'int'], ([source, text, most], meter) =>
  listOrNil(split(source, text, { most, meter }), 'string'),
);

export const regexFunctions: FunctionTable = {
  regexMatch: define(['string', 'string'], ([source, text], meter) => matchesIfValid(source, text, meter)),
  mustRegexMatch: define(['string', 'string'], ([source, text], meter) => matches(source, text, meter)),
  regexFind,
  mustRegexFind: regexFind,
  regexFindAll,
  mustRegexFindAll: regexFindAll,
  regexReplaceAll,
  mustRegexReplaceAll: regexReplaceAll,
  regexReplaceAllLiteral,
  mustRegexReplaceAllLiteral: regexReplaceAllLiteral,
  regexSplit,
  mustRegexSplit: regexSplit,
  regexQuoteMeta: define(['string'], ([text]) => text.replaceAll(/[\\.+*?()|[\]{}^$]/g, '\\$&')),
};
