// Reads the fields of a ClusterClass that reconcilers use. Writes start from `object`, so that unknown fields are kept.

import type { Unstructured } from '@capi-serverless/apimachinery';
import { storedV1Beta1Conditions } from '@capi-serverless/cluster-api/conditions';
import * as z from 'zod/mini';
import { conditions, count, readMeta, section } from '../fields.ts';
import { classSpec } from './class-spec.ts';

const schema = z.object({
  spec: classSpec,
  status: section({
    observedGeneration: count,
    conditions,
    deprecated: section({ v1beta1: section({ conditions: z.transform(storedV1Beta1Conditions) }) }),
  }),
});

/** Never throws. An unreadable field is treated as absent. */
export function readClusterClass(object: Unstructured) {
  return { object, metadata: readMeta(object.metadata), ...schema.parse({ spec: object.spec, status: object.status }) };
}

export type ClusterClass = ReturnType<typeof readClusterClass>;
