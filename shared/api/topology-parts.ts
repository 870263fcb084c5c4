// The common parts of a topology and a ClusterClass. Copied fields do not change, so an absent field stays absent.
import { isJsonObject } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { count, section, text, textMap, textOrEmpty } from './fields.ts';

/** Labels and annotations for objects and their Machines. Absent is treated as empty. */
export const templateMetadata = section({ labels: textMap, annotations: textMap });
export type TemplateMetadata = z.output<typeof templateMetadata>;

/** A JSON value that is copied unchanged. Null is treated as absent. */
export const copied = z.transform((raw: unknown): unknown => (raw === null ? undefined : raw));

/** A list that is copied unchanged. Undefined if absent. An empty list is not absent. */
export const copiedList = z.transform((raw: unknown): readonly unknown[] | undefined =>
  Array.isArray(raw) ? raw : undefined,
);

/** An object that is copied unchanged. Undefined if it is missing or has no members. */
export const copiedObject = z.transform((raw: unknown): Readonly<Record<string, unknown>> | undefined =>
  isJsonObject(raw) && Object.keys(raw).length > 0 ? Object.fromEntries(Object.entries(raw)) : undefined,
);

export const templateRef = section({ apiVersion: textOrEmpty, kind: textOrEmpty, name: textOrEmpty });
/** References a template in an API version, in the namespace of the ClusterClass. */
export type TemplateRef = z.output<typeof templateRef>;

/** Returns true if any field of the reference is set. */
export function isDefinedTemplateRef({ apiVersion, kind, name }: TemplateRef): boolean {
  return apiVersion !== '' || kind !== '' || name !== '';
}

export const naming = section({ template: textOrEmpty });

const timeouts = {
  nodeDrainTimeoutSeconds: count,
  nodeVolumeDetachTimeoutSeconds: count,
  nodeDeletionTimeoutSeconds: count,
};

/** The deletion settings of Machines. 0 is a valid value. */
export const deletion = section(timeouts);
export type Deletion = z.output<typeof deletion>;

/** Like `deletion`, with the order in which Machines are deleted. */
export const orderedDeletion = section({ order: text, ...timeouts });

/** `enabled` is undefined if it is not set. `checks` and `remediation` are undefined if they are empty. */
export const healthCheck = section({
  enabled: z.catch(z.optional(z.boolean()), undefined),
  checks: copiedObject,
  remediation: copiedObject,
});
export type HealthCheck = z.output<typeof healthCheck>;

/** A check is defined if it has other fields than `enabled`. */
export function isDefinedCheck({ checks, remediation }: HealthCheck): boolean {
  return checks !== undefined || remediation !== undefined;
}
