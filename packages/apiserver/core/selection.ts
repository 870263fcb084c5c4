// Selects the objects of a list or watch.
import type { Stored } from './object.ts';

export interface Selection {
  /** The namespace. Absent means all namespaces. */
  readonly namespace?: string;
  /** The labels. Absent means all objects. */
  readonly matches?: (object: Stored) => boolean;
}

/** Selects objects that have all of these labels. */
export function hasLabels(labels: Readonly<Record<string, string>>): (object: Stored) => boolean {
  const wanted = Object.entries(labels);
  return object => wanted.every(([key, value]) => object.metadata.labels?.[key] === value);
}

export function isSelected(object: Stored, selection: Selection): boolean {
  const inNamespace = selection.namespace === undefined || object.metadata.namespace === selection.namespace;
  return inNamespace && (selection.matches === undefined || selection.matches(object));
}
