// From a request body to a draft: metadata is read as ObjectMeta (unknown members dropped, empty ones too, wrong types
// refused), everything else stays as it came.
import { toApiVersion } from '../../../../shared/api/object.ts';
import { isObject, type JsonObject, toJson } from './json.ts';
import type { Endpoint } from './kinds.ts';
import type { Draft, Metadata } from './object.ts';
import { badRequest, invalid } from './status.ts';

type OnUnknown = (path: string) => void;
type MemberReader = (value: unknown, path: string, onUnknown: OnUnknown) => unknown;

/** Tells unknown members of the metadata. Throws BadRequest (or Invalid for a custom kind under the wrong name) when the body is not such an object. */
export function decodeObject(raw: unknown, endpoint: Endpoint, onUnknown: OnUnknown = () => {}): Draft {
  const body = toJson(raw);
  if (!isObject(body)) {
    throw badRequest('the body of the request is not an object');
  }
  checkType(body, endpoint);
  const present = Object.entries(body).filter(([, value]) => value !== null);
  return toDraft(Object.fromEntries(present), endpoint, onUnknown);
}

/** An object of the right kind; members that are null stay, for the validation to find. */
export function decodeMerged(object: JsonObject, endpoint: Endpoint): Draft {
  return toDraft(object, endpoint, () => {});
}

function toDraft(body: JsonObject, endpoint: Endpoint, onUnknown: OnUnknown): Draft {
  return {
    ...body,
    apiVersion: toApiVersion({ group: endpoint.resource.group, version: endpoint.version.name }),
    kind: endpoint.resource.kind,
    metadata: decodeMetadata(body['metadata'], onUnknown),
  };
}

function checkType(body: JsonObject, endpoint: Endpoint): void {
  const { resource, version } = endpoint;
  const expected = toApiVersion({ group: resource.group, version: version.name });
  const apiVersion = body['apiVersion'];
  const kind = body['kind'];
  if (typeof kind !== 'string' || kind === '') {
    throw badRequest(`Object 'Kind' is missing in a ${resource.kind}`);
  }
  if (typeof apiVersion !== 'string' || apiVersion === '') {
    throw badRequest(`Object 'apiVersion' is missing in a ${resource.kind}`);
  }
  if (apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  }
  if (kind === resource.kind) {
    return;
  }
  if (!resource.custom) {
    throw badRequest(`${kind} in version "${version.name}" cannot be handled as a ${resource.kind}`);
  }
  const message = `Invalid value: "${kind}": must be ${resource.kind}`;
  throw invalid(resource, nameIn(body), [{ reason: 'FieldValueInvalid', field: 'kind', message }]);
}

function nameIn(body: JsonObject): string {
  const metadata = body['metadata'];
  const name = isObject(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' ? name : '';
}

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
  if (!isObject(value)) {
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
    if (!isObject(value)) {
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

/** Real servers drop repeated owner references too. */
function distinct(items: unknown): unknown {
  // The reader of the struct above puts the members of equal references in the same order.
  return Array.isArray(items)
    ? [...new Map(items.map((item: unknown) => [JSON.stringify(item), item])).values()]
    : items;
}

/** Of fields and who owns them; whether they can be read as such is asked by who needs them. */
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

/** Known, and never kept. */
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
  // No entries mean something else than no list.
  managedFields: (value, path, onUnknown) => managedFields(value, path, onUnknown) ?? [],
  selfLink: discarded,
};

/** Throws BadRequest where a member has another type than in any metadata. */
export function decodeMetadata(raw: unknown, onUnknown: OnUnknown): Partial<Metadata> {
  if (raw === undefined || raw === null) {
    return {};
  }
  if (!isObject(raw)) {
    throw wrongType('metadata', 'an object');
  }
  // True: the table above has one reader per member of Metadata, each of which returns that member's type or throws.
  return readMembers(raw, metadataMembers, { path: 'metadata', onUnknown }) as Partial<Metadata>;
}
