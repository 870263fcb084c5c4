// Bodies in the binary format of Kubernetes, as JSON: for the built-in kinds that kubectl and typed clients write so.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding
// The numbers of the fields are those of `generated.proto` in k8s.io/api and k8s.io/apimachinery.

import { createRequire } from 'node:module';
import type { BinaryReader } from '@bufbuild/protobuf/wire';
import { isJsonObject, type JsonObject } from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { badRequest } from '../core/status.ts';

const require = createRequire(import.meta.url);

/** The reader is loaded synchronously with the first such body, because few requests have one. */
function readerOf(bytes: Uint8Array): BinaryReader {
  // True: the package's types describe its CommonJS export.
  const wire = require('@bufbuild/protobuf/wire') as typeof import('@bufbuild/protobuf/wire');
  return new wire.BinaryReader(bytes);
}

/** The content type of such bodies. */
export const protobufType = 'application/vnd.kubernetes.protobuf';

type Scalar = 'text' | 'bytes' | 'flag' | 'count' | 'time' | 'json';

interface Field {
  readonly name: string;
  readonly is: Scalar | Message;
  /** Absent: one value, and a zero value means that it is not set. `pointer`: a zero value is kept. */
  readonly as?: 'pointer' | 'list' | 'map';
}

/** Fields by their numbers. Others are ignored. */
type Message = Readonly<Record<number, Field>>;

const text = (name: string): Field => ({ name, is: 'text' });

const owner: Message = {
  1: text('kind'),
  3: text('name'),
  4: text('uid'),
  5: text('apiVersion'),
  6: { name: 'controller', is: 'flag', as: 'pointer' },
  7: { name: 'blockOwnerDeletion', is: 'flag', as: 'pointer' },
};

const managedFields: Message = {
  1: text('manager'),
  2: text('operation'),
  3: text('apiVersion'),
  4: { name: 'time', is: 'time' },
  6: text('fieldsType'),
  7: { name: 'fieldsV1', is: 'json' },
  8: text('subresource'),
};

const metadata: Field = {
  name: 'metadata',
  is: {
    1: text('name'),
    2: text('generateName'),
    3: text('namespace'),
    5: text('uid'),
    6: text('resourceVersion'),
    7: { name: 'generation', is: 'count' },
    8: { name: 'creationTimestamp', is: 'time' },
    9: { name: 'deletionTimestamp', is: 'time' },
    10: { name: 'deletionGracePeriodSeconds', is: 'count', as: 'pointer' },
    11: { name: 'labels', is: 'text', as: 'map' },
    12: { name: 'annotations', is: 'text', as: 'map' },
    13: { name: 'ownerReferences', is: owner, as: 'list' },
    14: { name: 'finalizers', is: 'text', as: 'list' },
    17: { name: 'managedFields', is: managedFields, as: 'list' },
  },
};

const attributes: Message = {
  1: text('namespace'),
  2: text('verb'),
  3: text('group'),
  4: text('version'),
  5: text('resource'),
  6: text('subresource'),
  7: text('name'),
};

const immutable: Field = { name: 'immutable', is: 'flag', as: 'pointer' };

const kinds: Readonly<Record<string, Message>> = {
  Namespace: {
    1: metadata,
    2: { name: 'spec', is: { 1: { name: 'finalizers', is: 'text', as: 'list' } } },
    3: { name: 'status', is: { 1: text('phase') } },
  },
  ConfigMap: {
    1: metadata,
    2: { name: 'data', is: 'text', as: 'map' },
    3: { name: 'binaryData', is: 'bytes', as: 'map' },
    4: immutable,
  },
  Secret: {
    1: metadata,
    2: { name: 'data', is: 'bytes', as: 'map' },
    3: text('type'),
    4: { name: 'stringData', is: 'text', as: 'map' },
    5: immutable,
  },
  SelfSubjectAccessReview: {
    1: metadata,
    2: {
      name: 'spec',
      is: {
        1: { name: 'resourceAttributes', is: attributes },
        2: { name: 'nonResourceAttributes', is: { 1: text('path'), 2: text('verb') } },
      },
    },
  },
  SelfSubjectReview: { 1: metadata },
  SelfSubjectRulesReview: { 1: metadata, 2: { name: 'spec', is: { 1: text('namespace') } } },
  DeleteOptions: {
    1: { name: 'gracePeriodSeconds', is: 'count', as: 'pointer' },
    2: {
      name: 'preconditions',
      is: { 1: { name: 'uid', is: 'text', as: 'pointer' }, 2: { name: 'resourceVersion', is: 'text', as: 'pointer' } },
    },
    3: { name: 'orphanDependents', is: 'flag', as: 'pointer' },
    4: { name: 'propagationPolicy', is: 'text', as: 'pointer' },
    5: { name: 'dryRun', is: 'text', as: 'list' },
  },
};

const prefix = Buffer.from('k8s\0', 'latin1');

const envelope: Message = {
  1: { name: 'type', is: { 1: text('apiVersion'), 2: text('kind') } },
  2: { name: 'raw', is: 'bytes' },
};

/**
 * Returns the object. `undefined`: kube-apiserver reads this kind in the binary format, but this server does not. Throws
 * BadRequest if the body is not in the format.
 */
export function decodeProtobuf(body: Uint8Array): JsonObject | undefined {
  if (!prefix.equals(body.subarray(0, prefix.length))) {
    throw badRequest('the body of the request is not in the protobuf format of Kubernetes: its prefix is missing');
  }
  try {
    const { type, raw } = decodeMessage(body.subarray(prefix.length), envelope);
    const { apiVersion, kind } = isJsonObject(type) ? type : {};
    const message = typeof kind === 'string' && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
    return message && { apiVersion, kind, ...decodeMessage(Buffer.from(String(raw ?? ''), 'base64'), message) };
  } catch (error) {
    throw badRequest(
      `the body of the request is not protobuf: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function decodeMessage(bytes: Uint8Array, message: Message): JsonObject {
  const reader = readerOf(bytes);
  const lists = new Map<Field, unknown[]>();
  const members = new Map<string, unknown>();
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    const field = message[number];
    if (field === undefined) {
      reader.skip(wireType, number);
    } else if (field.as === 'list') {
      appendTo(lists, field, decodeValue(reader, field.is));
    } else if (field.as === 'map') {
      appendTo(lists, field, decodeEntry(reader.bytes(), field.is));
    } else {
      members.set(field.name, decodeValue(reader, field.is));
    }
  }
  const kept = Object.values(message).flatMap((field): readonly (readonly [string, unknown])[] => {
    const collected = lists.get(field);
    if (collected !== undefined) {
      // True: `decodeEntry` has made the entries.
      const value = field.as === 'map' ? Object.fromEntries(collected as [string, unknown][]) : collected;
      return [[field.name, value]];
    }
    const value = members.get(field.name);
    return value === undefined || (field.as !== 'pointer' && isZero(value)) ? [] : [[field.name, value]];
  });
  return Object.fromEntries(kept);
}

function appendTo(lists: Map<Field, unknown[]>, field: Field, value: unknown): void {
  const list = lists.get(field) ?? [];
  lists.set(field, list);
  list.push(value);
}

function decodeEntry(bytes: Uint8Array, is: Field['is']): readonly [string, unknown] {
  const { key = '', value = '' } = decodeMessage(bytes, {
    1: text('key'),
    2: { name: 'value', is, as: 'pointer' },
  });
  return [String(key), value];
}

function decodeValue(reader: BinaryReader, is: Field['is']): unknown {
  switch (is) {
    case 'text':
      return reader.string();
    case 'bytes':
      return Buffer.from(reader.bytes()).toString('base64');
    case 'flag':
      return reader.bool();
    case 'count':
      return Number(reader.int64());
    case 'time':
      return toTime(reader.bytes());
    case 'json': {
      const { raw } = decodeMessage(reader.bytes(), { 1: { name: 'raw', is: 'text' } });
      return JSON.parse(String(raw ?? 'null'));
    }
    default:
      return decodeMessage(reader.bytes(), is);
  }
}

/** The first second of the year 1, which Go has for a time that is not set. */
const unsetSeconds = -62_135_596_800;

/** Times have whole seconds. A time that is not set is also written without seconds. */
function toTime(bytes: Uint8Array): string {
  const { seconds } = decodeMessage(bytes, { 1: { name: 'seconds', is: 'count' } });
  return typeof seconds === 'number' && seconds !== unsetSeconds ? toTimestamp(seconds * 1000) : '';
}

function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false || (isJsonObject(value) && Object.keys(value).length === 0);
}
