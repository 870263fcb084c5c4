// The differences between two JSON values, as paths with the value before and after. Pure.
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '@capi-serverless/apimachinery';

/** `undefined` means absent. */
export interface StatusDifference {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Returns one difference per leaf. List members are matched by `type` or `name` if every member has a unique value. */
export function differencesOf(before: unknown, after: unknown, path: string): readonly StatusDifference[] {
  if (isDeepStrictEqual(before, after)) {
    return [];
  }
  const objects = [before, after].map(value => (value === undefined ? {} : value));
  const [left, right] = objects;
  if (isJsonObject(left) && isJsonObject(right) && objects.some(isFilled)) {
    return ofNames(Object.keys({ ...left, ...right }), name =>
      differencesOf(left[name], right[name], `${path}.${name}`),
    );
  }
  const lists = byKey(before, after);
  return lists === undefined
    ? [{ path, before, after }]
    : ofNames([...lists.before.keys(), ...lists.after.keys()], name =>
        ofMember(lists.before.get(name), lists.after.get(name), `${path}[${name}]`),
      );
}

function isFilled(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length > 0;
}

/** An added or removed member is one difference. */
function ofMember(before: unknown, after: unknown, path: string): readonly StatusDifference[] {
  return before === undefined || after === undefined ? [{ path, before, after }] : differencesOf(before, after, path);
}

function ofNames(
  names: readonly string[],
  differences: (name: string) => readonly StatusDifference[],
): readonly StatusDifference[] {
  return [...new Set(names)].flatMap(differences);
}

type Members = ReadonlyMap<string, unknown>;

/** Returns `undefined` unless one value is a list with keys and the other is also such a list or is absent. */
function byKey(before: unknown, after: unknown): { readonly before: Members; readonly after: Members } | undefined {
  const lists = [before ?? [], after ?? []];
  for (const key of ['type', 'name']) {
    const [first, second] = lists.map(list => keyed(list, key));
    if (first !== undefined && second !== undefined) {
      return { before: first, after: second };
    }
  }
  return undefined;
}

function keyed(list: unknown, key: string): Members | undefined {
  if (!Array.isArray(list)) {
    return undefined;
  }
  const entries = list.flatMap((item): readonly (readonly [string, unknown])[] => {
    const name = isJsonObject(item) ? item[key] : undefined;
    return typeof name === 'string' ? [[name, item]] : [];
  });
  const members = new Map(entries);
  return members.size === list.length ? members : undefined;
}
