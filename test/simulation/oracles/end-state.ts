// What is left at the end, without what differs from one run to the next.

import { isJsonObject } from '../../../shared/api/json.ts';
import type { Unstructured } from '../../../shared/api/object.ts';
import { compareText } from '../../../shared/names/text-order.ts';
import { normalise } from '../../support/normalise.ts';
import type { System } from '../system/system.ts';
import type { Monitor } from './monitor.ts';
import { withoutGenerations } from './references.ts';

export interface EndState {
  /** By kind and name, as text. */
  readonly objects: Readonly<Record<string, string>>;
  /** How often each object was created and deleted. */
  readonly changes: Readonly<Record<string, number>>;
}

export function toEndState({ api }: System, { changes, references }: Monitor): EndState {
  const objects = [...api.objects()].filter(([, { kind }]) => kind !== 'Event');
  const names = new Map(objects.map(([name, { metadata }]) => [metadata.uid, name]));
  return {
    objects: Object.fromEntries(
      objects.map(([name, object]) => {
        const told = withoutGenerations(object, references.generationsOf(object.metadata));
        return [name, JSON.stringify(normalise(settled(sorted(named(told, names)))))];
      }),
    ),
    changes: Object.fromEntries(changes),
  };
}

/** Owners are told by name; one that is gone, or another object of the same name, shows. */
function named(object: Unstructured, names: ReadonlyMap<string, string>): Unstructured {
  const { ownerReferences } = object.metadata;
  if (ownerReferences === undefined) {
    return object;
  }
  const told = ownerReferences.map(owner => ({ ...owner, refersTo: names.get(owner.uid) ?? 'nothing that exists' }));
  return { ...object, metadata: { ...object.metadata, ownerReferences: told } };
}

/** The order of finalizers and of conditions means nothing, and depends on who was first. */
function sorted(object: Unstructured): Unstructured {
  const { metadata, status } = object;
  const { finalizers = [] } = metadata;
  const conditions: unknown = isJsonObject(status) ? status['conditions'] : undefined;
  return {
    ...object,
    metadata: { ...metadata, finalizers: finalizers.toSorted() },
    ...(isJsonObject(status) && Array.isArray(conditions)
      ? { status: { ...status, conditions: conditions.toSorted((a, b) => compareText(typeOf(a), typeOf(b))) } }
      : {}),
  };
}

function typeOf(condition: unknown): string {
  return isJsonObject(condition) ? String(condition['type']) : '';
}

/**
 * The connection probe of a Cluster that was never connected keeps the generation of its first look, and an initialized
 * control plane that of the look which found it so, as upstream's do: it depends on when that was.
 */
const keepGeneration: readonly unknown[] = ['RemoteConnectionProbe', 'ControlPlaneInitialized'];

function settled(object: Unstructured): Unstructured {
  const { status } = object;
  const conditions: unknown = isJsonObject(status) ? status['conditions'] : undefined;
  if (object.kind !== 'Cluster' || !isJsonObject(status) || !Array.isArray(conditions)) {
    return object;
  }
  const told = conditions.map((each: unknown) =>
    isJsonObject(each) && keepGeneration.includes(each['type']) ? { ...each, observedGeneration: undefined } : each,
  );
  return { ...object, status: { ...status, conditions: told } };
}
