// Clusters whose references were written in two steps. If only the creation of the control plane failed, the
// infrastructure reference is written immediately, as in upstream (docs/decisions/0002). This is one more write, so the
// generation is higher by one.

import {
  isJsonObject,
  type JsonObject,
  type ObjectMeta,
  sameJson,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import type { Oracle } from './monitor.ts';

export interface References extends Oracle {
  /** Returns the number of generations of this Cluster because of separate references: 0 or 1. */
  generationsOf(metadata: Pick<ObjectMeta, 'uid'>): number;
}

export function watchReferences(): References {
  const later = new Set<string>();
  return {
    committed({ type, object, previous, writer }) {
      if (object.kind === 'Cluster' && type === 'MODIFIED' && previous !== undefined && writer !== 'user') {
        if (isNamedLater(previous, object)) {
          later.add(object.metadata.uid);
        }
      }
    },
    generationsOf: ({ uid }) => (later.has(uid) ? 1 : 0),
  };
}

/** A write with other changes would have been necessary without the reference. */
function isNamedLater(previous: Unstructured, object: Unstructured): boolean {
  const before = specOf(previous);
  const { controlPlaneRef, ...others } = specOf(object);
  const isHalfNamed = before['infrastructureRef'] !== undefined && before['controlPlaneRef'] === undefined;
  return before['topology'] !== undefined && isHalfNamed && controlPlaneRef !== undefined && sameJson(before, others);
}

function specOf({ spec }: Unstructured): JsonObject {
  return isJsonObject(spec) ? spec : {};
}

/** Returns the object without these additional generations. */
export function withoutGenerations(object: Unstructured, count: number): Unstructured {
  if (count === 0) {
    return object;
  }
  const { metadata, status } = object;
  const { generation = 0 } = metadata;
  return {
    ...object,
    metadata: { ...metadata, generation: generation - count },
    ...(isJsonObject(status) ? { status: lowered(status, count) } : {}),
  };
}

/** Changes every `observedGeneration` at any depth. */
function lowered(value: unknown, count: number): unknown {
  if (Array.isArray(value)) {
    return value.map(each => lowered(each, count));
  }
  if (!isJsonObject(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [
      field,
      field === 'observedGeneration' && typeof inner === 'number' ? inner - count : lowered(inner, count),
    ]),
  );
}
