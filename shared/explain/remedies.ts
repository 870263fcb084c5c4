// Known remedies for an object that blocks the object that references it. Pure.

import { toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import { pausedAnnotation } from '@capi-serverless/cluster-api/conditions';
import type { FindOrder } from './find-order.ts';
import { annotate } from './kubectl.ts';
import { type ConditionPreference, isFailure, isPaused, preferredCondition, terminalFailureOf } from './object-view.ts';
import type { Referred } from './referred.ts';

interface Judging {
  readonly preference: ConditionPreference;
  readonly findOrder: FindOrder;
}

/** `field`: the field of the spec that names the object. `of`: the kind of the object with this spec. */
export function remedyOfReferred(
  referred: Referred | undefined,
  of: Judging & { readonly field: string; readonly of: 'Cluster' | 'Machine' },
): string {
  if (referred === undefined) {
    return `set spec.${of.field} of the ${of.of}`;
  }
  switch (referred.state) {
    case 'found':
      return remedyOfObject(referred.object, of);
    case 'missing':
      return `create ${referred.kind} "${referred.name}" in the namespace of the ${of.of}`;
    case 'pending':
      return 'run the command again in a moment';
    case 'notInstalled':
      return `install the provider that brings CustomResourceDefinition ${referred.crd}`;
    case 'unreadable':
      return 'fix the definition of that kind or the permission to read it';
  }
}

export function remedyOfObject(object: Unstructured, { preference, findOrder }: Judging): string {
  const order = findOrder(object, 'progress');
  if (order !== undefined) {
    return `remove its annotation: ${annotate(object, `${order}-`)}`;
  }
  if (isPaused(object)) {
    return `end its pause: ${annotate(object, `${pausedAnnotation}-`)}`;
  }
  if (terminalFailureOf(object) !== undefined) {
    return 'no retry fixes this failure: delete the object and create it again';
  }
  if (object.metadata.deletionTimestamp !== undefined) {
    return toFinalizerRemedy(object);
  }
  const condition = preferredCondition(object, preference);
  if (condition === undefined) {
    return `it reports nothing: see whether the controller of ${object.kind} runs`;
  }
  return isFailure(condition)
    ? 'fix what its provider reports; the provider then retries'
    : 'nothing to do while its provider works on it; if that does not change, fix what the condition reports';
}

export function toFinalizerRemedy({ kind, metadata }: Unstructured): string {
  const finalizers = metadata.finalizers ?? [];
  return finalizers.length === 0
    ? 'nothing to do: it is being deleted'
    : `finalizers hold it: ${finalizers.join(', ')}; see whether the controller of ${kind} runs`;
}

/** Returns one text with the finalizers that hold an object, or none. */
export function finalizersOf({ metadata: { finalizers = [] } }: Unstructured): readonly string[] {
  return finalizers.length === 0 ? [] : [`its finalizers: ${finalizers.join(', ')}`];
}

/** Returns text of the form `SimulatedCluster ns/name`. */
export function toSubject({ kind, metadata }: Unstructured): string {
  return `${kind} ${toDisplayName(metadata)}`;
}
