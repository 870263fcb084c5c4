// Fields of objects that were written in an older version: which are unknown, and what a field of the stored version is
// called there. Messages about a converted object name the fields of its author.
import { isJsonObject, versionOf } from '@capi-serverless/apimachinery';
import { conversionRules, shapesOfKinds, storedVersion } from './kinds.ts';
import type { FieldType } from './shape.ts';

export interface VersionedObject {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Returns the name of the struct of a kind in a version. */
export function versionedName({ apiVersion, kind }: VersionedObject): string {
  return `${versionOf(apiVersion)}.${kind}`;
}

/** Returns the fields that the version of the object does not have. A conversion drops them. */
export function unknownFields(object: VersionedObject): readonly string[] {
  return unknownIn({ is: 'struct', name: versionedName(object) }, object, '');
}

function unknownIn(type: FieldType, value: unknown, path: string): readonly string[] {
  switch (type.is) {
    case 'pointer':
      return unknownIn(type.of, value, path);
    case 'list':
      return Array.isArray(value) ? value.flatMap((item, at) => unknownIn(type.of, item, `${path}[${at}]`)) : [];
    case 'map':
      return membersOf(value).flatMap(([key, item]) => unknownIn(type.of, item, `${path}[${key}]`));
    case 'struct': {
      const fields = shapesOfKinds().book.fieldsOf(type.name);
      return membersOf(value).flatMap(([key, member]) => {
        const field = fields.get(key);
        const at = path === '' ? key : `${path}.${key}`;
        return field === undefined ? [at] : unknownIn(field.type, member, at);
      });
    }
    default:
      return [];
  }
}

function membersOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

/** `[0]`, `[name]` or a field. */
const steps = /\[[^[\]]*\]|[^.[\]]+/g;

/**
 * Returns the name that a field of the stored version has in the version of the object, for example
 * `spec.topology.class` for `spec.topology.classRef.name`. A field that only the stored version has keeps its name.
 */
export function olderField(object: VersionedObject, field: string): string {
  const names = { older: versionedName(object), newer: `${storedVersion}.${object.kind}` };
  const renamed = rename(names, field.match(steps) ?? []);
  return renamed.reduce((text, step) => (step.startsWith('[') || text === '' ? text + step : `${text}.${step}`), '');
}

interface StructNames {
  readonly older: string;
  readonly newer: string;
}

function rename(names: StructNames, path: readonly string[]): readonly string[] {
  const found = findRule(names, path) ?? sameName(names, path);
  if (found === undefined) {
    return path;
  }
  const { book } = shapesOfKinds();
  const older = below(book.typeAt(names.older, found.older));
  const newer = below(book.typeAt(names.newer, found.newer));
  const rest = path.slice(found.newer.length);
  const brackets = rest.findIndex(step => !step.startsWith('['));
  const indexes = brackets < 0 ? rest : rest.slice(0, brackets);
  const more = rest.slice(indexes.length);
  const renamed = older === undefined || newer === undefined ? more : rename({ older, newer }, more);
  return [...found.older, ...indexes, ...renamed];
}

/** The rule for the longest part of the path. */
function findRule({ older, newer }: StructNames, path: readonly string[]) {
  return (conversionRules[`${older} ${newer}`] ?? [])
    .filter(rule => rule.newer.every((step, at) => step === path[at]))
    .sort((left, right) => right.newer.length - left.newer.length)[0];
}

function sameName({ older, newer }: StructNames, [first = '']: readonly string[]) {
  const { book } = shapesOfKinds();
  const isCommon = book.fieldsOf(older).has(first) && book.fieldsOf(newer).has(first);
  return isCommon ? { older: [first], newer: [first] } : undefined;
}

/** Returns the struct in a type, or `undefined`. */
function below(type: FieldType): string | undefined {
  if (type.is === 'struct') {
    return type.name;
  }
  return type.is === 'pointer' || type.is === 'list' || type.is === 'map' ? below(type.of) : undefined;
}
