// Schemas of fields for the readers of core kinds. An unreadable field is treated as absent. Other fields are kept.

import { type ObjectMeta, toRecord } from '@capi-serverless/apimachinery';
import { storedConditions } from '@capi-serverless/cluster-api/conditions';
import * as z from 'zod/mini';

type Shape = Parameters<typeof z.object>[0] & object;

export const text = z.catch(z.optional(z.string()), undefined);
export const textOrEmpty = z.catch(z.string(), '');
export const count = z.catch(z.optional(z.int()), undefined);
export const countOrZero = z.catch(z.int(), 0);
export const flag = z.catch(z.boolean(), false);

/** A map with any keys and text values. */
export const textMap = z.catch(z.record(z.string(), z.string()), {});

/** An object whose fields are read independently. */
export function section<T extends Shape>(shape: T) {
  return z.pipe(z.transform(toRecord), z.object(shape));
}

/** Names an object of a provider without its version. */
export const reference = section({ apiGroup: textOrEmpty, kind: textOrEmpty, name: textOrEmpty });

/** A list. Drops items that cannot be read. */
export function listOf<T extends z.ZodMiniType>(item: T) {
  return z.transform((raw: unknown): readonly z.output<T>[] =>
    (Array.isArray(raw) ? raw : []).flatMap(entry => {
      const parsed = item.safeParse(entry);
      return parsed.success ? [parsed.data] : [];
    }),
  );
}

/** `operator` is not validated. */
export const labelSelector = z.object({
  matchLabels: textMap,
  matchExpressions: listOf(
    z.object({ key: z.string(), operator: z.string(), values: z.catch(z.array(z.string()), []) }),
  ),
});

/** Conditions of the v1beta2 family. */
export const conditions = z.transform(storedConditions);

/** The number of replicas of each Kubernetes version. */
const statusVersions = listOf(z.object({ version: z.string(), replicas: count }));

/**
 * Conditions that must be fulfilled before the object is available. The polarity is `Positive` unless it is `Negative`.
 */
export const availabilityGates = listOf(z.object({ conditionType: z.string(), polarity: text }));

export type AvailabilityGate = z.output<typeof availabilityGates>[number];

/** The common replica counters of MachineDeployments, MachineSets and MachinePools. */
export const replicaStatus = section({
  replicas: count,
  readyReplicas: count,
  availableReplicas: count,
  upToDateReplicas: count,
  versions: statusVersions,
  conditions,
});

/** Returns metadata with defaults for absent fields. */
export function readMeta(metadata: ObjectMeta) {
  const { namespace = '', generation = 0, labels = {}, annotations = {}, finalizers = [] } = metadata;
  return { ...metadata, namespace, generation, labels, annotations, finalizers };
}
