// An object below the Cluster as a source of aggregated conditions.
import type { PartialObject } from '../../../shared/api/object.ts';
import type { AggregateSource } from '../../../shared/conditions/aggregate.ts';
import type { ReportedCondition } from '../../../shared/conditions/condition.ts';
import { ownerOf } from '../../../shared/conditions/merge.ts';

interface Reporting extends PartialObject {
  readonly status: { readonly conditions: readonly ReportedCondition[] };
}

export function toSource(object: Reporting): AggregateSource {
  return { owner: ownerOf(object), conditions: object.status.conditions };
}
