// Converts an object that belongs to the Cluster to a source of aggregated conditions.
import type { PartialObject } from '@capi-serverless/apimachinery';
import { type AggregateSource, ownerOf, type ReportedCondition } from '@capi-serverless/cluster-api/conditions';

interface Reporting extends PartialObject {
  readonly status: { readonly conditions: readonly ReportedCondition[] };
}

export function toSource(object: Reporting): AggregateSource {
  return { owner: ownerOf(object), conditions: object.status.conditions };
}
