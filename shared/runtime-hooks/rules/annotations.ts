// Annotations that hold the state of hooks. Their values are lists, so patches carry the resourceVersion on which they were
// decided. Otherwise two writers could overwrite each other's entries.

export type Annotations = Readonly<Record<string, string>>;

/** The annotations to write; null removes one. Empty: nothing to write. */
export type AnnotationChange = Readonly<Record<string, string | null>>;

export const noChange: AnnotationChange = {};

/** The annotations after the change. */
export function withChange(annotations: Annotations, change: AnnotationChange): Annotations {
  const changed = Object.entries<string | null>({ ...annotations, ...change });
  return Object.fromEntries(changed.flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
}
