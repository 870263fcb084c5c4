// Reads the fields of a ClusterClass that reconcilers use. Writes start from `object`, so that unknown fields are kept.

import type { ObjectMeta, Unstructured } from '@capi-serverless/apimachinery';
import { storedV1Beta1Conditions } from '@capi-serverless/cluster-api/conditions';
import * as z from 'zod/mini';
import { conditions, count, section } from '../fields.ts';
import { classSpec } from './class-spec.ts';

const schema = z.object({
  spec: classSpec,
  status: section({
    observedGeneration: count,
    conditions,
    deprecated: section({ v1beta1: section({ conditions: z.transform(storedV1Beta1Conditions) }) }),
  }),
});

/** Metadata with defaults for absent fields. */
interface ClusterClassMeta extends ObjectMeta {
  readonly namespace: string;
  readonly generation: number;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Never throws. An unreadable field is treated as absent. */
export function readClusterClass(object: Unstructured) {
  const { namespace = '', generation = 0, annotations = {} } = object.metadata;
  const metadata: ClusterClassMeta = { ...object.metadata, namespace, generation, annotations };
  return { object, metadata, ...schema.parse({ spec: object.spec, status: object.status }) };
}

export type ClusterClass = ReturnType<typeof readClusterClass>;
