// Divides one management cluster among several deployments. Each one reconciles only the objects with its label value.
// https://cluster-api.sigs.k8s.io/reference/api/labels-and-annotations
import type { PartialObject } from '@capi-serverless/apimachinery';

const watchFilterLabel = 'cluster.x-k8s.io/watch-filter';

/** The filter "" accepts every object. Any other filter must equal the watch-filter label. */
export function passesWatchFilter(object: PartialObject, filter: string): boolean {
  return filter === '' || object.metadata.labels?.[watchFilterLabel] === filter;
}
