// Decodes ObjectMeta like kube-apiserver: unknown and empty members are dropped, and wrong types are refused.
import { isJsonObject, type JsonObject } from '@capi-serverless/apimachinery';
import type { Metadata } from './object.ts';
import { badRequest } from './status.ts';

/** Called with the dotted path of each member that is dropped because metadata or the schema does not declare it. */
export type OnUnknown = (path: string) => void;
type MemberReader = (value: unknown, path: string, onUnknown: OnUnknown) => unknown;

function wrongType(path: string, expected: string): Error {
  return badRequest(`${path} is not ${expected}`);
}

const text: MemberReader = (value, path) => {
  if (typeof value !== 'string') {
    throw wrongType(path, 'a string');
  }
  return value === '' ? undefined : value;
};

const integer: MemberReader = (value, path) => {
  if (!Number.isSafeInteger(value)) {
    throw wrongType(path, 'an integer');
  }
  return value === 0 ? undefined : value;
};

const flag: MemberReader = (value, path) => {
  if (typeof value !== 'boolean') {
    throw wrongType(path, 'a boolean');
  }
  return value;
};

const texts: MemberReader = (value, path) => {
  if (!isJsonObject(value)) {
    throw wrongType(path, 'a map of strings');
  }
  const entries = Object.entries(value).map(([key, each]) => [key, each === null ? '' : each]);
  if (entries.some(([, each]) => typeof each !== 'string')) {
    throw wrongType(path, 'a map of strings');
  }
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
};

function listOf(read: MemberReader): MemberReader {
  return (value, path, onUnknown) => {
    if (!Array.isArray(value)) {
      throw wrongType(path, 'a list');
    }
    const items = value.map((each: unknown, index) => read(each, `${path}[${index}]`, onUnknown) ?? '');
    return items.length === 0 ? undefined : items;
  };
}

function structOf(members: Readonly<Record<string, MemberReader>>): MemberReader {
  return (value, path, onUnknown) => {
    if (!isJsonObject(value)) {
      throw wrongType(path, 'an object');
    }
    return readMembers(value, members, { path, onUnknown });
  };
}

function readMembers(
  value: JsonObject,
  members: Readonly<Record<string, MemberReader>>,
  { path, onUnknown }: { readonly path: string; readonly onUnknown: OnUnknown },
): JsonObject {
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(members, key)) {
      onUnknown(`${path}.${key}`);
    }
  }
  const read = Object.entries(members).flatMap(([key, reader]) => {
    const raw = value[key];
    const decoded = raw === undefined || raw === null ? undefined : reader(raw, `${path}.${key}`, onUnknown);
    return decoded === undefined ? [] : [[key, decoded]];
  });
  return Object.fromEntries(read);
}

const ownerReference = structOf({
  apiVersion: text,
  kind: text,
  name: text,
  uid: text,
  controller: flag,
  blockOwnerDeletion: flag,
});

/** kube-apiserver also drops duplicate owner references. */
function distinct(items: unknown): unknown {
  // The struct reader above gives equal references the same member order.
  return Array.isArray(items)
    ? [...new Map(items.map((item: unknown) => [JSON.stringify(item), item])).values()]
    : items;
}

/** Reads entries of managed fields. Their content is validated later. */
const managedFields = listOf(
  structOf({
    manager: text,
    operation: text,
    apiVersion: text,
    time: text,
    fieldsType: text,
    fieldsV1: value => value,
    subresource: text,
  }),
);

/** Members that ObjectMeta declares but the server never stores. */
const discarded: MemberReader = () => undefined;

const metadataMembers: Readonly<Record<keyof Metadata | 'selfLink', MemberReader>> = {
  name: text,
  generateName: text,
  namespace: text,
  uid: text,
  resourceVersion: text,
  generation: integer,
  creationTimestamp: text,
  deletionTimestamp: text,
  deletionGracePeriodSeconds: integer,
  labels: texts,
  annotations: texts,
  ownerReferences: (value, path, onUnknown) => distinct(listOf(ownerReference)(value, path, onUnknown)),
  finalizers: listOf(text),
  // An empty list differs from an absent one.
  managedFields: (value, path, onUnknown) => managedFields(value, path, onUnknown) ?? [],
  selfLink: discarded,
};

/** Throws BadRequest if a member has the wrong type. */
export function decodeMetadata(raw: unknown, onUnknown: OnUnknown): Partial<Metadata> {
  if (raw === undefined || raw === null) {
    return {};
  }
  if (!isJsonObject(raw)) {
    throw wrongType('metadata', 'an object');
  }
  // True: the table has one reader per member of Metadata, which returns that member's type or throws.
  return readMembers(raw, metadataMembers, { path: 'metadata', onUnknown }) as Partial<Metadata>;
}
