// Annotations that store the state of hooks. Their values are lists, so patches contain the resourceVersion that was
// read. Otherwise two writers could overwrite each other's items.

export type Annotations = Readonly<Record<string, string>>;

/** The annotations to write. Null removes an annotation. Empty means that there is no write. */
export type AnnotationChange = Readonly<Record<string, string | null>>;

export const noChange: AnnotationChange = {};

/** The annotations after the change. */
export function withChange(annotations: Annotations, change: AnnotationChange): Annotations {
  const changed = Object.entries<string | null>({ ...annotations, ...change });
  return Object.fromEntries(changed.flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
}
