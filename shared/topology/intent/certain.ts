// Whether an apply would change nothing, told from what was read, without asking the API server (docs/decisions/0027).
import { isJsonObject, type JsonObject, memberOf } from '../../api/json.ts';
import type { Intent, Unstructured } from '../../api/object.ts';
import { isOwnApply, managedFieldsOf } from '../managed-fields.ts';
import { isSurelySame } from './exact.ts';

/** One place in the object, seen from all sides. */
interface Place {
  readonly wanted: unknown;
  readonly live: unknown;
  /** What the topology's last apply owns here and below, in the form of FieldsV1. */
  readonly owned: JsonObject;
  /** The same of everybody else, as far as they own something here. */
  readonly others: readonly JsonObject[];
  /** Names of members from the root; empty below items of lists. */
  readonly path: string;
}

/**
 * `certain`: applying the intent with the uid of `live` changes neither a value nor who owns what. `unknown` says
 * nothing: a type that only the server's schema tells, a value that the server may have rewritten, or a real change.
 */
export function appliesWithoutChange(intent: Intent, live: Unstructured): 'certain' | 'unknown' {
  const entries = managedFieldsOf(live);
  const [ours, ...more] = entries.filter(isOwnApply);
  if (
    ours === undefined ||
    more.length > 0 ||
    ours.apiVersion !== intent.apiVersion ||
    live.apiVersion !== intent.apiVersion ||
    live.kind !== intent.kind
  ) {
    return 'unknown';
  }
  const { labels, annotations, ownerReferences } = intent.metadata;
  const metadata = toObject({ labels, annotations, ownerReferences });
  const root: Place = {
    wanted: toObject({ metadata: Object.keys(metadata).length === 0 ? undefined : metadata, spec: intent['spec'] }),
    live,
    owned: ours.fieldsV1,
    others: entries.filter(each => each !== ours).map(each => each.fieldsV1),
    path: '',
  };
  return isSettledObject(root) ? 'certain' : 'unknown';
}

/** Members that hold something: others are not sent. */
function membersOf(object: JsonObject): readonly (readonly [string, unknown])[] {
  return Object.entries(object).filter(([, value]) => value !== undefined);
}

/** Where members always have owners one by one, whatever the schema. */
const granularPaths: readonly string[] = ['/spec', '/metadata/labels', '/metadata/annotations'];

function toObject(parts: JsonObject): JsonObject {
  return Object.fromEntries(membersOf(parts));
}

function isSettled(place: Place): boolean {
  const { wanted, owned } = place;
  if (partsOf(owned).length === 0) {
    return isSettledLeaf(place);
  }
  if (Array.isArray(wanted)) {
    return isSettledList(place, wanted);
  }
  return isSettledObject(place);
}

/** Keys below a node of FieldsV1; the node's own mark is none of them. */
function partsOf(node: JsonObject): readonly string[] {
  return Object.keys(node).filter(part => part !== '.');
}

/**
 * A field that is owned as a whole: a single value, a list or map of atomic type, or one that was empty when it was
 * applied. Somebody who owns a part of it proves that its type is not atomic.
 */
function isSettledLeaf({ wanted, live, others, path }: Place): boolean {
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

/** Where nothing is left to be owned but empty lists, an empty intent makes the server drop the whole object around them. */
function holdsEmptyList(value: unknown): boolean {
  return (
    (Array.isArray(value) && value.length === 0) ||
    (typeof value === 'object' && value !== null && Object.values(value).some(holdsEmptyList))
  );
}

/**
 * Kubernetes' own types that are maps of atomic type: selectors and references. Told by their members, because a map that was
 * applied empty and got the same members as defaults looks the same in the record, and no default selects or refers.
 */
const atomicShapes: readonly (readonly string[])[] = [
  ['matchLabels', 'matchExpressions'],
  ['apiVersion', 'apiGroup', 'kind', 'namespace', 'name', 'uid', 'resourceVersion', 'fieldPath'],
  ['name', 'key', 'optional'],
];

function isAtomicByShape(value: JsonObject): boolean {
  return atomicShapes.some(shape => Object.keys(value).every(member => shape.includes(member)));
}

function isSettledObject(place: Place): boolean {
  const { wanted, live, owned, path } = place;
  if (!isJsonObject(wanted) || !isJsonObject(live)) {
    return false;
  }
  const members = membersOf(wanted);
  return (
    members.length === partsOf(owned).length &&
    members.every(([name, value]) => {
      const values = { wanted: value, live: memberOf(live, name), path: `${path}/${name}` };
      const below = partOf(place, `f:${name}`, values);
      return below !== undefined && isSettled(below);
    })
  );
}

type Values = Pick<Place, 'wanted' | 'live' | 'path'>;

/** Undefined where the topology owns nothing of that name. */
function partOf(place: Place, part: string, values: Values): Place | undefined {
  const owned = memberOf(place.owned, part);
  const others = place.others.map(other => memberOf(other, part)).filter(isJsonObject);
  return isJsonObject(owned) ? { ...values, owned, others } : undefined;
}

/** Each item of ours is there once and settled, and ours stand in our order; others may stand between them. */
function isSettledList(place: Place, wanted: readonly unknown[]): boolean {
  const live: unknown = place.live;
  if (!Array.isArray(live) || wanted.length !== partsOf(place.owned).length) {
    return false;
  }
  let last = -1;
  return partsOf(place.owned)
    .map(part => findItem(part, wanted, live))
    .toSorted((a, b) => a.wantedAt - b.wantedAt)
    .every(({ part, wantedAt, liveAt }) => {
      const isInOrder = liveAt > last && wantedAt >= 0;
      last = liveAt;
      return isInOrder && isSettledItem(place, part, { wanted: wanted[wantedAt], live: live[liveAt], path: '' });
    });
}

interface FoundItem {
  readonly part: string;
  /** -1 where none or several match. */
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

/** `k:` names an item of a list of objects by its keys, `v:` a member of a set. */
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

/** An item without parts is owned as a whole: its keys would be parts. */
function isSettledItem(place: Place, part: string, values: Values): boolean {
  const below = partOf(place, part, values);
  if (below === undefined) {
    return false;
  }
  return partsOf(below.owned).length === 0 ? isSurelySame(values.wanted, values.live) : isSettledObject(below);
}
