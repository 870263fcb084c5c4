// Lists names of objects in messages.
import { compareText, type PartialObject } from '@capi-serverless/apimachinery';

type Named = Pick<PartialObject, 'metadata'>;

/** The number of names in the message of a condition. */
export const namesShown = 3;

/** Returns the first names, and the number of omitted names. */
export function listNames(objects: readonly Named[], most: number): string {
  const names = objects.toSorted(byName).map(object => object.metadata.name);
  const shown = names.slice(0, most);
  return names.length > most ? `${shown.join(', ')}, ... (${names.length - most} more)` : shown.join(', ');
}

export function byName(a: Named, b: Named): number {
  return compareText(a.metadata.name, b.metadata.name);
}
