// Label and field selectors from the query of lists and watches. Pure.
// https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
import type { ResourceEndpoint } from '../core/kinds.ts';
import { problemOfLabelValue, problemOfQualifiedName } from '../core/name-rules.ts';
import type { Stored } from '../core/object.ts';
import { textOfField } from '../core/selection.ts';
import { badRequest, type StatusError } from '../core/status.ts';

type Labels = Readonly<Record<string, string>>;
type LabelTest = (labels: Labels) => boolean;

/** Throws BadRequest for a syntax error. */
export function parseLabelSelector(text: string): (object: Stored) => boolean {
  const tests = splitRequirements(text).map(parseRequirement);
  return object => tests.every(test => test(object.metadata.labels ?? {}));
}

function unparsable(text: string, why: string): StatusError {
  return badRequest(`unable to parse requirement: ${JSON.stringify(text.slice(0, 200))}: ${why}`);
}

/** Splits at commas outside parentheses. */
function splitRequirements(text: string): readonly string[] {
  if (text.trim() === '') {
    return [];
  }
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0;
    if (text[at] === ',' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)].map(part => part.trim());
}

const operators = ['==', '!=', '=', '>', '<'] as const;
const setPattern = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/;

function parseRequirement(text: string): LabelTest {
  const set = setPattern.exec(text);
  if (set !== null) {
    const [, key = '', operator, list = ''] = set;
    const values = list.split(',').map(value => checkedValue(value.trim(), text));
    const name = checkedKey(key, text);
    const isIn: LabelTest = labels => Object.hasOwn(labels, name) && values.includes(labels[name] ?? '');
    return operator === 'in' ? isIn : labels => !isIn(labels);
  }
  const operator = operators.find(each => text.includes(each));
  if (operator === undefined) {
    const negated = text.startsWith('!');
    const key = checkedKey(negated ? text.slice(1).trim() : text, text);
    return labels => Object.hasOwn(labels, key) !== negated;
  }
  const at = text.indexOf(operator);
  const key = checkedKey(text.slice(0, at).trim(), text);
  return comparison(key, operator, checkedValue(text.slice(at + operator.length).trim(), text));
}

function comparison(key: string, operator: (typeof operators)[number], value: string): LabelTest {
  const own = (labels: Labels): string | undefined => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  switch (operator) {
    case '=':
    case '==':
      return labels => own(labels) === value;
    case '!=':
      return labels => own(labels) !== value;
    case '>':
    case '<': {
      const limit = toInteger(value);
      if (limit === undefined) {
        throw unparsable(`${key}${operator}${value}`, 'the value must be an integer');
      }
      return labels => {
        const number = toInteger(own(labels) ?? '');
        return number !== undefined && (operator === '>' ? number > limit : number < limit);
      };
    }
  }
}

function toInteger(text: string): number | undefined {
  return /^-?[0-9]{1,15}$/.test(text) ? Number(text) : undefined;
}

function checkedKey(key: string, text: string): string {
  const problem = problemOfQualifiedName(key);
  if (problem !== undefined) {
    throw unparsable(text, problem);
  }
  return key;
}

function checkedValue(value: string, text: string): string {
  const problem = problemOfLabelValue(value);
  if (problem !== undefined) {
    throw unparsable(text, problem);
  }
  return value;
}

/** Throws BadRequest for a syntax error and for a field that this kind does not support. */
export function parseFieldSelector(text: string, endpoint: ResourceEndpoint): (object: Stored) => boolean {
  const tests = splitFields(text).map(part => parseField(part, endpoint));
  return object => tests.every(test => test(object));
}

/** Splits at commas without a backslash before them. */
function splitFields(text: string): readonly string[] {
  return text === '' ? [] : (text.match(/(?:\\.|[^,\\])+/gs) ?? [text]).filter(part => part !== '');
}

function parseField(text: string, endpoint: ResourceEndpoint): (object: Stored) => boolean {
  const match = /^((?:\\.|[^=!\\])+)(!=|==|=)(.*)$/s.exec(text);
  if (match === null) {
    throw badRequest(`invalid field selector ${JSON.stringify(text.slice(0, 200))}: can't understand it`);
  }
  const [, field = '', operator, raw = ''] = match;
  const textOf = textOfField(field, endpoint);
  const value = raw.replace(/\\(.)/gs, '$1');
  return object => (textOf(object) === value) === (operator !== '!=');
}
