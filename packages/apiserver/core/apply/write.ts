// The common input of apply and update: the writer, the object, and the fields that are never owned.
import type { Instant, JsonObject } from '@capi-serverless/apimachinery';
import { type OptionalFieldSet, setOf } from './field-set.ts';
import type { MergeType } from './merge-type.ts';
import { fieldElement } from './path-element.ts';

export interface Write {
  /** The version of the request. The objects have the form of this version. */
  readonly apiVersion: string;
  /** The merge type of the kind in each served version. */
  readonly typeOf: (apiVersion: string) => MergeType | undefined;
  /** The object with its managed fields. `undefined` if the object is created. */
  readonly live: JsonObject | undefined;
  /** The object before any field is set, for built-in kinds. */
  readonly zero?: JsonObject;
  readonly manager: string;
  /** The subresource. "" for the main resource. */
  readonly subresource: '' | 'status' | 'scale';
  /** The fields that this write does not change. */
  readonly reset: OptionalFieldSet;
  readonly now: Instant;
}

function paths(...texts: readonly string[]): OptionalFieldSet {
  return setOf(...texts.map(text => text.split('.').map(fieldElement)));
}

/** Fields that only the server sets. */
export const neverOwned: OptionalFieldSet = paths(
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

/** The fields that a write of the main resource resets: the status. A write of `/status` resets all other fields. */
export const resetByMain: OptionalFieldSet = paths('status');
export const resetByStatus: OptionalFieldSet = paths('spec', 'metadata');
