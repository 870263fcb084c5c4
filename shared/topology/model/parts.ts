// Parts that a Cluster's topology and a ClusterClass share. Fields that are only copied stay as they came: absent stays absent.
import * as z from 'zod/mini';
import { count, section, text, textMap, textOrEmpty } from '../../api/fields.ts';

/** Labels and annotations for objects and their Machines; absent counts as empty. */
export const templateMetadata = section({ labels: textMap, annotations: textMap });
export type TemplateMetadata = z.output<typeof templateMetadata>;

/** A JSON value that is copied as it is; null counts as absent. */
export const copied = z.transform((raw: unknown): unknown => (raw === null ? undefined : raw));

/** A list that is copied as it is. Undefined where there is none; an empty list is one. */
export const copiedList = z.transform((raw: unknown): readonly unknown[] | undefined =>
  Array.isArray(raw) ? raw : undefined,
);

/** An object that is copied as it is. Undefined where it is missing or has no member. */
export const copiedObject = z.transform((raw: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw) && Object.keys(raw).length > 0
    ? Object.fromEntries(Object.entries(raw))
    : undefined,
);

export const templateRef = section({ apiVersion: textOrEmpty, kind: textOrEmpty, name: textOrEmpty });
export type TemplateRef = z.output<typeof templateRef>;

export const naming = section({ template: textOrEmpty });

const timeouts = {
  nodeDrainTimeoutSeconds: count,
  nodeVolumeDetachTimeoutSeconds: count,
  nodeDeletionTimeoutSeconds: count,
};

/** How Machines are deleted; 0 is a value. */
export const deletion = section(timeouts);
export type Deletion = z.output<typeof deletion>;

/** The same, with the order in which Machines go. */
export const orderedDeletion = section({ order: text, ...timeouts });
export type OrderedDeletion = z.output<typeof orderedDeletion>;

/** `enabled` is undefined where nobody said anything. `checks` and `remediation` are undefined where they are empty. */
export const healthCheck = section({
  enabled: z.catch(z.optional(z.boolean()), undefined),
  checks: copiedObject,
  remediation: copiedObject,
});
export type HealthCheck = z.output<typeof healthCheck>;

/** `enabled` alone defines nothing. */
export function isDefinedCheck({ checks, remediation }: HealthCheck): boolean {
  return checks !== undefined || remediation !== undefined;
}
