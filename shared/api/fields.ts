// Fields as the readers of our own kinds read them: what cannot be read counts as absent, and costs nothing but itself.
import * as z from 'zod/mini';
import { storedConditions } from '../conditions/read.ts';

type Shape = Parameters<typeof z.object>[0] & object;

/** A JSON object; anything else counts as empty. */
export function toRecord(raw: unknown): Readonly<Record<string, unknown>> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw) ? Object.fromEntries(Object.entries(raw)) : {};
}

export const text = z.catch(z.optional(z.string()), undefined);
export const textOrEmpty = z.catch(z.string(), '');
export const count = z.catch(z.optional(z.int()), undefined);
export const countOrZero = z.catch(z.int(), 0);
export const flag = z.catch(z.boolean(), false);

/** Free keys with text values. */
export const textMap = z.catch(z.record(z.string(), z.string()), {});

/** Fields below one object, each read on its own. */
export function section<T extends Shape>(shape: T) {
  return z.pipe(z.transform(toRecord), z.object(shape));
}

/** A list without the items that cannot be read. */
export function listOf<T extends z.ZodMiniType>(item: T) {
  return z.transform((raw: unknown): readonly z.output<T>[] =>
    (Array.isArray(raw) ? raw : []).flatMap(entry => {
      const parsed = item.safeParse(entry);
      return parsed.success ? [parsed.data] : [];
    }),
  );
}

/** Conditions of the v1beta2 family. */
export const conditions = z.transform(storedConditions);

/** How many replicas run one Kubernetes version. */
export const statusVersions = listOf(z.object({ version: z.string(), replicas: count }));

/** Conditions of an owner that must hold before it is available; the polarity is `Positive` unless it says `Negative`. */
export const availabilityGates = listOf(z.object({ conditionType: z.string(), polarity: text }));

export type AvailabilityGate = z.output<typeof availabilityGates>[number];

/** The replica counters that MachineDeployments, MachineSets and MachinePools share. */
export const replicaStatus = section({
  replicas: count,
  readyReplicas: count,
  availableReplicas: count,
  upToDateReplicas: count,
  versions: statusVersions,
  conditions,
});
