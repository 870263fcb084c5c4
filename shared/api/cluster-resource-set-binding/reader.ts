// Reads a ClusterResourceSetBinding. Unknown fields are kept, because its lists are written as a whole.
import type { ObjectMeta, OwnerReference, Unstructured } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { flag, listOf, section, text, textOrEmpty } from '../fields.ts';

const appliedResource = z.looseObject({
  kind: textOrEmpty,
  name: textOrEmpty,
  hash: text,
  lastAppliedTime: text,
  applied: flag,
});

/** What was applied of one ConfigMap or Secret. */
export type AppliedResource = z.output<typeof appliedResource>;

const setBinding = z.looseObject({ clusterResourceSetName: textOrEmpty, resources: listOf(appliedResource) });

/** What was applied of one ClusterResourceSet. */
export type SetBinding = z.output<typeof setBinding>;

const schema = z.object({ spec: section({ clusterName: textOrEmpty, bindings: listOf(setBinding) }) });

/** Metadata with defaults for absent fields. */
interface BindingMeta extends ObjectMeta {
  readonly namespace: string;
  readonly ownerReferences: readonly OwnerReference[];
}

/** Never throws. An unreadable field is treated as absent. */
export function readBinding(object: Unstructured) {
  const { namespace = '', ownerReferences = [] } = object.metadata;
  const metadata: BindingMeta = { ...object.metadata, namespace, ownerReferences };
  return { object, metadata, ...schema.parse({ spec: object.spec }) };
}

export type ResourceSetBinding = ReturnType<typeof readBinding>;
