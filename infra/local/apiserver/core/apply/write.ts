// What an apply and an update have in common: who writes which object, and what no writer ever owns.
import type { Instant } from '../../../../../shared/api/object.ts';
import type { JsonObject } from '../json.ts';
import { type Fields, setOf } from './field-set.ts';
import type { MergeType } from './merge-type.ts';
import { fieldElement } from './path-element.ts';

export interface Write {
  /** Of the request; the objects are in the shape of this version. */
  readonly apiVersion: string;
  /** How objects of the kind are merged in each version that is served. */
  readonly typeOf: (apiVersion: string) => MergeType | undefined;
  /** With its managed fields. `undefined`: it is created. */
  readonly live: JsonObject | undefined;
  /** Of built-in kinds: what an object holds before anything is said. */
  readonly zero?: JsonObject;
  readonly manager: string;
  /** "" for the object itself. */
  readonly subresource: '' | 'status' | 'scale';
  /** What this way of writing leaves as it is, whatever is sent. */
  readonly reset: Fields;
  readonly now: Instant;
}

function paths(...texts: readonly string[]): Fields {
  return setOf(...texts.map(text => text.split('.').map(fieldElement)));
}

/** What the server itself decides. */
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

/** What writes of a kind with a status subresource put back: the status, or on `/status` everything else. */
export const resetByMain: Fields = paths('status');
export const resetByStatus: Fields = paths('spec', 'metadata');
