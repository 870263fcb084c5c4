// Whether the BeforeClusterDelete hook let a Cluster go: `runtime.cluster.x-k8s.io/ok-to-delete`, with any value.
import { type AnnotationChange, type Annotations, noChange } from './annotations.ts';

export const okToDeleteAnnotation = 'runtime.cluster.x-k8s.io/ok-to-delete';

/** Its value means nothing: `false` allows the deletion, too. */
export function isOkToDelete(annotations: Annotations): boolean {
  return Object.hasOwn(annotations, okToDeleteAnnotation);
}

/** It is never taken off again. */
export function markOkToDelete(annotations: Annotations): AnnotationChange {
  return isOkToDelete(annotations) ? noChange : { [okToDeleteAnnotation]: '' };
}
