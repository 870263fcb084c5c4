// Annotations in which hooks are kept account of. Lists within one value: a patch of them carries the resourceVersion that
// they were decided on, or two writers lose one another's entry.
import type { MergePatch } from '../../api/object.ts';

export type Annotations = Readonly<Record<string, string>>;

/** What has to be written; null takes an annotation off. Empty: nothing. */
export type AnnotationChange = Readonly<Record<string, string | null>>;

export const noChange: AnnotationChange = {};

/** `undefined` when there is nothing to write. Changes of several helpers go into one patch. */
export function toAnnotationPatch(...changes: readonly AnnotationChange[]): MergePatch | undefined {
  const annotations = Object.assign({}, ...changes);
  return Object.keys(annotations).length === 0 ? undefined : { metadata: { annotations } };
}

/** The annotations as they are once the change is written. */
export function withChange(annotations: Annotations, change: AnnotationChange): Annotations {
  const changed = Object.entries<string | null>({ ...annotations, ...change });
  return Object.fromEntries(changed.flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
}
