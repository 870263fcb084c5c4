// Schemas of names, in the formats of Kubernetes.
// https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
import {
  dns1035LabelPattern,
  dnsLabelPattern,
  dnsSubdomainPattern,
  qualifiedNamePattern,
} from '@capi-serverless/apimachinery';
import { filledText, type JsonSchema, type NameRule } from './json-schema.ts';

/** The name of a namespace, in DNS label format. */
export function namespaceName(description: string): JsonSchema {
  return filledText(description, 63, { pattern: `^${dnsLabelPattern}$` });
}

/** The name of an object, in DNS subdomain format. */
export function objectName(description: string, maxLength = 253): JsonSchema {
  return filledText(description, maxLength, { pattern: `^${dnsSubdomainPattern}$` });
}

/** The name of an object that is also used as a label value. */
export function labelSizedName(description: string): JsonSchema {
  return objectName(description, 63);
}

export function apiGroup(description: string): JsonSchema {
  return filledText(description, 253, { pattern: `^${dnsSubdomainPattern}$` });
}

export function apiVersion(description: string): JsonSchema {
  return filledText(description, 317, { pattern: `^${dnsSubdomainPattern}\\/${dns1035LabelPattern}$` });
}

export function kindName(description: string): JsonSchema {
  return filledText(description, 63, { pattern: '^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$' });
}

export const conditionTypePattern = `^(${dnsSubdomainPattern}/)?(${qualifiedNamePattern})$`;

/** The type of a condition, with an optional domain prefix. */
export function conditionType(description: string, rules: readonly NameRule[] = []): JsonSchema {
  const limits = rules.length === 0 ? {} : { 'x-kubernetes-validations': rules };
  return filledText(description, 316, { pattern: conditionTypePattern, ...limits });
}

export function taintKey(description: string): JsonSchema {
  return filledText(description, 317, { pattern: `^(${dnsSubdomainPattern}\\/)?${qualifiedNamePattern}$` });
}

export function labelValue(description: string): JsonSchema {
  return filledText(description, 63, { pattern: `^(${qualifiedNamePattern})?$` });
}
