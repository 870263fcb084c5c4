// The conditions of a Machine, as input of conditions of its owners.
import type { ObjectMeta } from '@capi-serverless/apimachinery';
import { type AggregateSource, ownerOf, type ReportedCondition } from '@capi-serverless/cluster-api/conditions';
import { clusterApiVersion } from '../api/cluster/reader.ts';

export interface ReportingMachine {
  readonly metadata: ObjectMeta;
  readonly status: { readonly conditions: readonly ReportedCondition[] };
}

export function toMachineSource({ metadata, status }: ReportingMachine): AggregateSource {
  return {
    owner: ownerOf({ apiVersion: clusterApiVersion, kind: 'Machine', metadata }),
    conditions: status.conditions,
  };
}
