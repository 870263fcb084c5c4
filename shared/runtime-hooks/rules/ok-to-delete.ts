// The annotation with which BeforeClusterDelete allows the deletion of a Cluster:
// `runtime.cluster.x-k8s.io/ok-to-delete`.
import { type AnnotationChange, type Annotations, noChange } from './annotations.ts';

export const okToDeleteAnnotation = 'runtime.cluster.x-k8s.io/ok-to-delete';

/** Any value allows the deletion, even `false`. */
export function isOkToDelete(annotations: Annotations): boolean {
  return Object.hasOwn(annotations, okToDeleteAnnotation);
}

/** The annotation is never removed. */
export function markOkToDelete(annotations: Annotations): AnnotationChange {
  return isOkToDelete(annotations) ? noChange : { [okToDeleteAnnotation]: '' };
}
