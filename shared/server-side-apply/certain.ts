// Determines whether the objects that were read prove that an apply changes nothing (docs/decisions/0027).
import {
  type Intent,
  isJsonObject,
  type JsonObject,
  memberOf,
  sameJson,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { isApplyOf, managedFieldsOf } from './managed-fields.ts';

/** One field of the object: its desired value, its current value, and its owners. */
interface ComparedField {
  readonly wanted: unknown;
  readonly live: unknown;
  /** The fields that the manager's last apply owns at this path and below, in the format FieldsV1. */
  readonly owned: JsonObject;
  /** The fields of each other manager at this path, in the same format. */
  readonly others: readonly JsonObject[];
  /** Names of members from the root. Empty below items of lists. */
  readonly path: string;
}

/**
 * `certain`: an apply of the intent by this manager with the uid of `live` changes neither values nor owners. `unknown`: the type is in
 * the server's schema only, the server may have rewritten a value, or there is a change.
 */
export function appliesWithoutChange(intent: Intent, live: Unstructured, manager: string): 'certain' | 'unknown' {
  const entries = managedFieldsOf(live);
  const [ours, ...more] = entries.filter(isApplyOf(manager));
  if (
    ours === undefined ||
    more.length > 0 ||
    ours.apiVersion !== intent.apiVersion ||
    live.apiVersion !== intent.apiVersion ||
    live.kind !== intent.kind
  ) {
    return 'unknown';
  }
  const { labels, annotations, finalizers, ownerReferences } = intent.metadata;
  const metadata = toObject({ labels, annotations, finalizers, ownerReferences });
  const root: ComparedField = {
    wanted: toObject({ metadata: Object.keys(metadata).length === 0 ? undefined : metadata, spec: intent['spec'] }),
    live,
    owned: ours.fieldsV1,
    others: entries.filter(each => each !== ours).map(each => each.fieldsV1),
    path: '',
  };
  return isSettledObject(root) ? 'certain' : 'unknown';
}

/** Returns the non-empty members, because empty members are not sent. */
function membersOf(object: JsonObject): readonly (readonly [string, unknown])[] {
  return Object.entries(object).filter(([, value]) => value !== undefined);
}

/** Maps whose members have separate owners in every schema. */
const granularPaths: readonly string[] = ['/spec', '/metadata/labels', '/metadata/annotations'];

function toObject(parts: JsonObject): JsonObject {
  return Object.fromEntries(membersOf(parts));
}

function isSettled(field: ComparedField): boolean {
  const { wanted, owned } = field;
  if (partsOf(owned).length === 0) {
    return isSettledLeaf(field);
  }
  if (Array.isArray(wanted)) {
    return isSettledList(field, wanted);
  }
  return isSettledObject(field);
}

/** Returns the keys below a node of FieldsV1, without the entry `.` of the node. */
function partsOf(node: JsonObject): readonly string[] {
  return Object.keys(node).filter(part => part !== '.');
}

/**
 * A field with one owner for the whole value: a single value, a list or map of atomic type, or a value that was empty
 * when it was applied. If a manager owns a part of a field, its type is not atomic.
 */
function isSettledLeaf({ wanted, live, others, path }: ComparedField): boolean {
  const hasPartOwners = others.some(other => partsOf(other).length > 0);
  const isGranular = granularPaths.includes(path);
  if (Array.isArray(wanted)) {
    return !hasPartOwners && isSurelySame(wanted, live);
  }
  if (!isJsonObject(wanted)) {
    return wanted !== null && isSurelySame(wanted, live);
  }
  if (membersOf(wanted).length === 0) {
    return isJsonObject(live) && (isGranular || hasPartOwners || membersOf(live).length === 0) && !holdsEmptyList(live);
  }
  return !isGranular && !hasPartOwners && isAtomicByShape(wanted) && isSurelySame(wanted, live);
}

/** If an object contains only empty lists, an apply of an empty object makes the server remove it. */
function holdsEmptyList(value: unknown): boolean {
  return (
    (Array.isArray(value) && value.length === 0) ||
    (typeof value === 'object' && value !== null && Object.values(value).some(holdsEmptyList))
  );
}

/**
 * Maps of atomic type in Kubernetes: selectors and references. They are recognised by their members. A map that was
 * applied empty and then defaulted has the same managed fields. But no default is a selector or a reference.
 */
const atomicShapes: readonly (readonly string[])[] = [
  ['matchLabels', 'matchExpressions'],
  ['apiVersion', 'apiGroup', 'kind', 'namespace', 'name', 'uid', 'resourceVersion', 'fieldPath'],
  ['name', 'key', 'optional'],
];

function isAtomicByShape(value: JsonObject): boolean {
  return atomicShapes.some(shape => Object.keys(value).every(member => shape.includes(member)));
}

function isSettledObject(field: ComparedField): boolean {
  const { wanted, live, owned, path } = field;
  if (!isJsonObject(wanted) || !isJsonObject(live)) {
    return false;
  }
  const members = membersOf(wanted);
  return (
    members.length === partsOf(owned).length &&
    members.every(([name, value]) => {
      const values = { wanted: value, live: memberOf(live, name), path: `${path}/${name}` };
      const below = partOf(field, `f:${name}`, values);
      return below !== undefined && isSettled(below);
    })
  );
}

type Values = Pick<ComparedField, 'wanted' | 'live' | 'path'>;

/** Returns undefined if the manager owns no field with this name. */
function partOf(field: ComparedField, part: string, values: Values): ComparedField | undefined {
  const owned = memberOf(field.owned, part);
  const others = field.others.map(other => memberOf(other, part)).filter(isJsonObject);
  return isJsonObject(owned) ? { ...values, owned, others } : undefined;
}

/**
 * Each item of the intent exists once and is unchanged, in the desired order. Items of other managers may be between
 * them.
 */
function isSettledList(field: ComparedField, wanted: readonly unknown[]): boolean {
  const live: unknown = field.live;
  if (!Array.isArray(live) || wanted.length !== partsOf(field.owned).length) {
    return false;
  }
  let last = -1;
  return partsOf(field.owned)
    .map(part => findItem(part, wanted, live))
    .toSorted((a, b) => a.wantedAt - b.wantedAt)
    .every(({ part, wantedAt, liveAt }) => {
      const isInOrder = liveAt > last && wantedAt >= 0;
      last = liveAt;
      return isInOrder && isSettledItem(field, part, { wanted: wanted[wantedAt], live: live[liveAt], path: '' });
    });
}

interface FoundItem {
  readonly part: string;
  /** The index, or -1 if no item or several items match. */
  readonly wantedAt: number;
  readonly liveAt: number;
}

function findItem(part: string, wanted: readonly unknown[], live: readonly unknown[]): FoundItem {
  const matches = toMatcher(part);
  return { part, wantedAt: onlyIndex(wanted, matches), liveAt: onlyIndex(live, matches) };
}

function onlyIndex(list: readonly unknown[], matches: (item: unknown) => boolean): number {
  const first = list.findIndex(matches);
  return first === list.findLastIndex(matches) ? first : -1;
}

/** `k:` identifies an item of a list of objects by its keys. `v:` identifies a member of a set. */
function toMatcher(part: string): (item: unknown) => boolean {
  const json = parseJson(part.slice(2));
  if (part.startsWith('v:') && json !== undefined) {
    return item => isSurelySame(item, json);
  }
  if (part.startsWith('k:') && isJsonObject(json)) {
    const keys = membersOf(json);
    return item => keys.every(([key, value]) => isSurelySame(memberOf(item, key), value));
  }
  return () => false;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An item without owned parts has one owner, because its keys would be parts. */
function isSettledItem(field: ComparedField, part: string, values: Values): boolean {
  const below = partOf(field, part, values);
  if (below === undefined) {
    return false;
  }
  return partsOf(below.owned).length === 0 ? isSurelySame(values.wanted, values.live) : isSettledObject(below);
}

/**
 * Returns true only if the values are equal. Returns false for whole numbers too large for a double, because two of
 * them may parse to the same value.
 */
function isSurelySame(left: unknown, right: unknown): boolean {
  return sameJson(left, right) && isExact(left);
}

function isExact(value: unknown): boolean {
  if (typeof value === 'number') {
    return !Number.isInteger(value) || Number.isSafeInteger(value);
  }
  return typeof value !== 'object' || value === null || Object.values(value).every(isExact);
}
