// Splits one management cluster among several installations: each looks only at the objects that carry its label value.
// https://cluster-api.sigs.k8s.io/reference/api/labels-and-annotations
import type { PartialObject } from '../api/object.ts';

const watchFilterLabel = 'cluster.x-k8s.io/watch-filter';

/** "" accepts every object; any other filter only those whose watch-filter label is exactly that. */
export function passesWatchFilter(object: PartialObject, filter: string): boolean {
  return filter === '' || object.metadata.labels?.[watchFilterLabel] === filter;
}
