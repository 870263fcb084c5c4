// Desired objects of both sides in one form: the applied fields, with generated names replaced by roles.
import { type Intent, isJsonObject, type JsonObject, memberOf, toRecord } from '@capi-serverless/apimachinery';
import { toIntent } from '../../../functions/topology/plan/intent/filter.ts';

export type ObjectsByRole = Readonly<Record<string, JsonObject>>;

export interface ComparableSides {
  readonly theirs: ObjectsByRole;
  readonly ours: ObjectsByRole;
}

/** The number of random characters in a name. */
const randomLength = 5;

/** A name of this length may have been cut within random characters, before others were added. */
const mostCharacters = 63;

/**
 * Returns both sides with the fields that are applied. Two names that differ in their random characters only are
 * generated; both become the same text, in references and texts of other objects too.
 */
export function toComparable(theirs: ObjectsByRole, ours: ObjectsByRole): ComparableSides {
  const pairs = Object.keys(theirs).flatMap(role => {
    const [their, our] = [nameOf(theirs[role]), nameOf(ours[role])];
    return their !== our && haveSameShape(their, our) ? [{ their, our, text: `<${role}>` }] : [];
  });
  return {
    theirs: applied(
      theirs,
      pairs.map(({ their, text }) => [their, text]),
    ),
    ours: applied(
      ours,
      pairs.map(({ our, text }) => [our, text]),
    ),
  };
}

function nameOf(object: JsonObject | undefined): string {
  return String(memberOf(object?.['metadata'], 'name') ?? '');
}

/** Returns whether one name becomes the other by a change of its random characters. */
function haveSameShape(one: string, other: string): boolean {
  if (one.length !== other.length) {
    return false;
  }
  const differing = [...one].flatMap((character, at) => (character === other[at] ? [] : [at]));
  const span = (differing.at(-1) ?? 0) - (differing[0] ?? 0) + 1;
  return span <= (one.length === mostCharacters ? 2 : 1) * randomLength;
}

type Replacement = readonly [name: string, text: string];

/** A longer name is replaced first, because it may contain another. */
function applied(objects: ObjectsByRole, names: readonly Replacement[]): ObjectsByRole {
  const ordered = names.toSorted(([one], [other]) => other.length - one.length);
  return Object.fromEntries(
    Object.entries(objects).map(([role, object]) => [role, toRecord(replaced(appliedFields(object), ordered))]),
  );
}

/** Types of Go print an empty status and empty maps of labels. Both are never applied. */
function appliedFields(object: JsonObject): JsonObject {
  const { metadata, ...others } = toIntent(object as unknown as Intent); // True: every desired object is an intent.
  const kept = Object.entries(metadata).filter(
    ([, value]) => !(isJsonObject(value) && Object.keys(value).length === 0),
  );
  return { ...others, metadata: Object.fromEntries(kept) };
}

function replaced(value: unknown, names: readonly Replacement[]): unknown {
  if (typeof value === 'string') {
    return names.reduce((text, [name, by]) => text.replaceAll(name, by), value);
  }
  if (Array.isArray(value)) {
    return value.map(each => replaced(each, names));
  }
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, replaced(each, names)]))
    : value;
}

/** The variables of a topology, as defaults leave them. */
export function variablesOf(topology: JsonObject | undefined): JsonObject {
  const overridesOf = (each: unknown): unknown => memberOf(memberOf(each, 'variables'), 'overrides') ?? [];
  const workers = toRecord(topology?.['workers']);
  const ofKind = (list: unknown): unknown => (Array.isArray(list) ? list.map(overridesOf) : []);
  return {
    version: topology?.['version'],
    variables: listOf(topology?.['variables']),
    controlPlane: overridesOf(topology?.['controlPlane']),
    machineDeployments: ofKind(workers['machineDeployments']),
    machinePools: ofKind(workers['machinePools']),
  };
}

function listOf(variables: unknown): unknown {
  return Array.isArray(variables)
    ? variables.map(each => ({ name: memberOf(each, 'name'), value: memberOf(each, 'value') }))
    : [];
}

/** Returns the paths that differ, with both values, at most `most`. */
export function differencesOf(theirs: unknown, ours: unknown, most = 20): readonly FieldDifference[] {
  const found: FieldDifference[] = [];
  collect({ path: '', theirs, ours }, found, most);
  return found;
}

export interface FieldDifference {
  readonly path: string;
  readonly theirs: unknown;
  readonly ours: unknown;
}

function collect({ path, theirs, ours }: FieldDifference, into: FieldDifference[], most: number): void {
  if (into.length >= most || Object.is(theirs, ours)) {
    return;
  }
  const isPair =
    Array.isArray(theirs) && Array.isArray(ours)
      ? theirs.length === ours.length
      : isJsonObject(theirs) && isJsonObject(ours);
  if (!isPair) {
    into.push({ path, theirs, ours });
    return;
  }
  for (const key of new Set([...Object.keys(Object(theirs)), ...Object.keys(Object(ours))])) {
    collect({ path: `${path}/${key}`, theirs: Object(theirs)[key], ours: Object(ours)[key] }, into, most);
  }
}
