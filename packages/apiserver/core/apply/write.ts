// Shared by apply and update: the writer, the object, and the fields that are never owned.
import type { Instant, JsonObject } from '@capi-serverless/apimachinery';
import { type Fields, setOf } from './field-set.ts';
import type { MergeType } from './merge-type.ts';
import { fieldElement } from './path-element.ts';

export interface Write {
  /** The version of the request; the objects have the shape of this version. */
  readonly apiVersion: string;
  /** The merge type of the kind in each served version. */
  readonly typeOf: (apiVersion: string) => MergeType | undefined;
  /** With its managed fields. `undefined`: the object is created. */
  readonly live: JsonObject | undefined;
  /** For built-in kinds: the object before any field is set. */
  readonly zero?: JsonObject;
  readonly manager: string;
  /** "" for the main resource. */
  readonly subresource: '' | 'status' | 'scale';
  /** The fields that this write does not change. */
  readonly reset: Fields;
  readonly now: Instant;
}

function paths(...texts: readonly string[]): Fields {
  return setOf(...texts.map(text => text.split('.').map(fieldElement)));
}

/** Fields that only the server sets. */
export const neverOwned: Fields = paths(
  'apiVersion',
  'kind',
  'metadata',
  'metadata.name',
  'metadata.namespace',
  'metadata.creationTimestamp',
  'metadata.selfLink',
  'metadata.uid',
  'metadata.clusterName',
  'metadata.generation',
  'metadata.managedFields',
  'metadata.resourceVersion',
);

/** Fields that a write of the main resource resets: the status. A write of `/status` resets all others. */
export const resetByMain: Fields = paths('status');
export const resetByStatus: Fields = paths('spec', 'metadata');
