// What a user can do about an object that holds up its Cluster, where that is known. Pure.
import { pausedAnnotation } from '../../../shared/api/cluster/reader.ts';
import { toDisplayName, type Unstructured } from '../../../shared/api/object.ts';
import { orderPrefix } from '../provider/orders.ts';
import { isFailure, isPaused, type Telling, tellingCondition, terminalFailureOf } from './objects.ts';
import type { Referred } from './snapshot.ts';

/** `field`: of the Cluster's spec, that names the object. */
export function remedyOfReferred(referred: Referred | undefined, of: { field: string; telling: Telling }): string {
  if (referred === undefined) {
    return `set spec.${of.field} of the Cluster`;
  }
  switch (referred.state) {
    case 'found':
      return remedyOfObject(referred.object, of.telling);
    case 'missing':
      return `create ${referred.kind} "${referred.name}" in the namespace of the Cluster`;
    case 'pending':
      return 'look again in a moment';
    case 'notInstalled':
      return `install the provider that brings CustomResourceDefinition ${referred.crd}`;
    case 'unreadable':
      return 'mend the definition of that kind or the rights to read it';
  }
}

export function remedyOfObject(object: Unstructured, telling: Telling): string {
  const order = heldUpBy(object);
  if (order !== undefined) {
    return `take its annotation away: ${annotate(object, `${order}-`)}`;
  }
  if (isPaused(object)) {
    return `end its pause: ${annotate(object, `${pausedAnnotation}-`)}`;
  }
  if (terminalFailureOf(object) !== undefined) {
    return 'no retry mends this failure: delete the object and create it again';
  }
  if (object.metadata.deletionTimestamp !== undefined) {
    return toFinalizerRemedy(object);
  }
  const condition = tellingCondition(object, telling);
  if (condition === undefined) {
    return `it reports nothing: see whether the controller of ${object.kind} runs`;
  }
  return isFailure(condition)
    ? 'mend what its provider names; the provider tries again by itself'
    : 'nothing to do while its provider is at work; if that does not change, mend what the condition names';
}

export function toFinalizerRemedy({ kind, metadata }: Unstructured): string {
  const finalizers = metadata.finalizers ?? [];
  return finalizers.length === 0
    ? 'nothing to do, it is about to go'
    : `finalizers hold it: ${finalizers.join(', ')}; see whether the controller of ${kind} runs`;
}

/** `kubectl annotate` for one object. */
export function annotate(object: Unstructured, change: string): string {
  const { name, namespace } = object.metadata;
  const place = namespace === undefined ? '' : `-n ${namespace} `;
  return `kubectl annotate ${object.kind.toLowerCase()} ${place}${name} ${change}`;
}

/** `SimulatedCluster ns/name`. */
export function toSubject({ kind, metadata }: Unstructured): string {
  return `${kind} ${toDisplayName(metadata)}`;
}

/** The simulated provider misbehaves on request: then the request is the cause. */
function heldUpBy({ metadata }: Unstructured): string | undefined {
  const isDeleting = metadata.deletionTimestamp !== undefined;
  const holding = isDeleting ? ['delete-hang'] : ['terminal', 'fail', 'hang'];
  return holding.map(order => `${orderPrefix}${order}`).find(key => metadata.annotations?.[key] !== undefined);
}
