// Whether the objects that were read prove that an apply would change nothing (docs/decisions/0027).

import { type Intent, isJsonObject, type JsonObject, memberOf, type Unstructured } from '@capi-serverless/apimachinery';
import { isOwnApply, managedFieldsOf } from '../../../../shared/topology/managed-fields.ts';
import { isSurelySame } from './exact.ts';

/** One field of the object: desired value, current value, and owners. */
interface ComparedField {
  readonly wanted: unknown;
  readonly live: unknown;
  /** What the topology's last apply owns at this path and below, in the form of FieldsV1. */
  readonly owned: JsonObject;
  /** The same for every other manager that owns a field here. */
  readonly others: readonly JsonObject[];
  /** Names of members from the root; empty below items of lists. */
  readonly path: string;
}

/**
 * `certain`: applying the intent with the uid of `live` changes neither values nor owners. `unknown` proves
 * nothing: a type that only the server's schema defines, a value that the server may have rewritten, or a real change.
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
  const root: ComparedField = {
    wanted: toObject({ metadata: Object.keys(metadata).length === 0 ? undefined : metadata, spec: intent['spec'] }),
    live,
    owned: ours.fieldsV1,
    others: entries.filter(each => each !== ours).map(each => each.fieldsV1),
    path: '',
  };
  return isSettledObject(root) ? 'certain' : 'unknown';
}

/** Non-empty members: empty ones are not sent. */
function membersOf(object: JsonObject): readonly (readonly [string, unknown])[] {
  return Object.entries(object).filter(([, value]) => value !== undefined);
}

/** Their members have separate owners, independent of the schema. */
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

/** Keys below a node of FieldsV1, without the node's own `.` entry. */
function partsOf(node: JsonObject): readonly string[] {
  return Object.keys(node).filter(part => part !== '.');
}

/**
 * A field that is owned as a whole: a single value, a list or map of atomic type, or one that was empty when it was
 * applied. If a manager owns a part of it, its type is not atomic.
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

/** If an object holds only empty lists, applying an empty object makes the server remove it. */
function holdsEmptyList(value: unknown): boolean {
  return (
    (Array.isArray(value) && value.length === 0) ||
    (typeof value === 'object' && value !== null && Object.values(value).some(holdsEmptyList))
  );
}

/**
 * Kubernetes' own maps of atomic type: selectors and references. They are recognised by their members: a map that was applied
 * empty and then defaulted has the same record, but no default is a selector or a reference.
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

/** Undefined if the topology owns no field of that name. */
function partOf(field: ComparedField, part: string, values: Values): ComparedField | undefined {
  const owned = memberOf(field.owned, part);
  const others = field.others.map(other => memberOf(other, part)).filter(isJsonObject);
  return isJsonObject(owned) ? { ...values, owned, others } : undefined;
}

/** Each of our items exists once and is settled, in our order. Items of other managers may be between them. */
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
  /** -1 if none or several match. */
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
function isSettledItem(field: ComparedField, part: string, values: Values): boolean {
  const below = partOf(field, part, values);
  if (below === undefined) {
    return false;
  }
  return partsOf(below.owned).length === 0 ? isSurelySame(values.wanted, values.live) : isSettledObject(below);
}
