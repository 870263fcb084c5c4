// Paths into variables: `name`, `name.member`, `name.list[0].member`. A name that contains a dot cannot be addressed.
import { type Checked, invalid, isJsonObject, quote, valid } from '@capi-serverless/apimachinery';
import type { VariableData } from './visible-variables.ts';

interface Segment {
  readonly name: string;
  readonly index: number | undefined;
}

/** Returns the value at the path, or the error in Cluster API's wording. */
export function valueAtPath(variables: VariableData, path: string): Checked<unknown> {
  const [first = '', ...rest] = path.split('.');
  const variable = parseSegment(first);
  if (!variable.ok) {
    return invalid(`variable ${quote(path)} is invalid: ${variable.error}`);
  }
  if (!Object.hasOwn(variables, variable.value.name)) {
    return invalid(`variable ${quote(first)} does not exist`);
  }
  let found = itemOf(variables[variable.value.name], variable.value, path);
  for (const text of rest) {
    if (!found.ok) {
      return found;
    }
    const segment = parseSegment(text);
    if (!segment.ok) {
      return invalid(`variable ${quote(path)} has invalid syntax: ${segment.error}`);
    }
    const { name } = segment.value;
    if (!isJsonObject(found.value) || !Object.hasOwn(found.value, name)) {
      return invalid(`variable ${quote(path)} does not exist: failed to lookup segment ${quote(name)}`);
    }
    found = itemOf(found.value[name], segment.value, path);
  }
  return found;
}

function itemOf(value: unknown, { name, index }: Segment, path: string): Checked<unknown> {
  if (index === undefined) {
    return valid(value);
  }
  if (!Array.isArray(value)) {
    return invalid(`variable ${quote(path)} is invalid: failed to get array ${quote(name)}: not a list`);
  }
  return index < value.length
    ? valid(value[index])
    : invalid(`variable ${quote(path)} is invalid: array does not have index ${index}`);
}

function parseSegment(text: string): Checked<Segment> {
  if (!/[[\]]/.test(text)) {
    return valid({ name: text, index: undefined });
  }
  const [, name, digits] = /^([^[\]]*)\[([^[\]]*)\]$/.exec(text) ?? [];
  if (name === undefined || digits === undefined) {
    return invalid(`failed to parse path segment ${quote(text)}`);
  }
  if (!/^[+-]?\d+$/.test(digits)) {
    return invalid(`failed to parse array index in path segment ${quote(text)}: ${quote(digits)} is not a number`);
  }
  const index = Number(digits);
  return index < 0 ? invalid(`invalid array index ${digits} in path segment ${quote(text)}`) : valid({ name, index });
}
