// Schemas of names, in the formats of Kubernetes.
// https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
import { filledText, type JsonSchema, type NameRule } from './json-schema.ts';

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const qualified = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

/** The name of a namespace, in DNS label format. */
export function namespaceName(description: string): JsonSchema {
  return filledText(description, 63, { pattern: `^${label}$` });
}

/** The name of an object, in DNS subdomain format. */
export function objectName(description: string, maxLength = 253): JsonSchema {
  return filledText(description, maxLength, { pattern: `^${subdomain}$` });
}

/** The name of an object that is also used as a label value. */
export function labelSizedName(description: string): JsonSchema {
  return objectName(description, 63);
}

export function apiGroup(description: string): JsonSchema {
  return filledText(description, 253, { pattern: `^${subdomain}$` });
}

export function apiVersion(description: string): JsonSchema {
  return filledText(description, 317, { pattern: `^${subdomain}\\/[a-z]([-a-z0-9]*[a-z0-9])?$` });
}

export function kindName(description: string): JsonSchema {
  return filledText(description, 63, { pattern: '^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$' });
}

export const conditionTypePattern = `^(${subdomain}/)?(${qualified})$`;

/** The type of a condition, with an optional domain prefix. */
export function conditionType(description: string, rules: readonly NameRule[] = []): JsonSchema {
  const limits = rules.length === 0 ? {} : { 'x-kubernetes-validations': rules };
  return filledText(description, 316, { pattern: conditionTypePattern, ...limits });
}

export function taintKey(description: string): JsonSchema {
  return filledText(description, 317, { pattern: `^(${subdomain}\\/)?${qualified}$` });
}

export function labelValue(description: string): JsonSchema {
  return filledText(description, 63, { pattern: `^(${qualified})?$` });
}
