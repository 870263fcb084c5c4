// Structural OpenAPI v3 schemas of CustomResourceDefinitions and ClusterClass variables: the part that rules need.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
import { isJsonObject } from '@capi-serverless/apimachinery';

export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** A member of another type is treated as absent. The schema itself is validated elsewhere. */
export interface StructuralSchema {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: boolean | StructuralSchema;
  readonly items?: StructuralSchema;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

// A definition is untrusted JSON: these readers treat a value of another type as absent.

function listIn<T>(value: readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? value : [];
}

/** The schema of additional properties. Undefined if there is none, or if any value is allowed. */
export function valuesOf({ additionalProperties }: StructuralSchema): StructuralSchema | undefined {
  return typeof additionalProperties === 'object' && isJsonObject(additionalProperties)
    ? additionalProperties
    : undefined;
}

export function itemsOf({ items }: StructuralSchema): StructuralSchema | undefined {
  return isJsonObject(items) ? items : undefined;
}

export function membersOf({ properties }: StructuralSchema): readonly (readonly [string, StructuralSchema])[] {
  return isJsonObject(properties) ? Object.entries(properties).filter(([, schema]) => isJsonObject(schema)) : [];
}

export function requiredOf({ required }: StructuralSchema): readonly string[] {
  return listIn(required);
}

export function choicesOf(schema: StructuralSchema): readonly unknown[] {
  return listIn(schema.enum);
}

export function listKeysOf(schema: StructuralSchema): readonly string[] {
  return listIn(schema['x-kubernetes-list-map-keys']);
}

/** A rule without text is treated as an empty rule, which is refused. */
export function rulesOf(schema: StructuralSchema): readonly ValidationRule[] {
  return listIn(schema['x-kubernetes-validations']).map(rule => (isJsonObject(rule) ? toRule(rule) : { rule: '' }));
}

function toRule(raw: Readonly<Record<string, unknown>>): ValidationRule {
  const texts = (['message', 'messageExpression', 'reason', 'fieldPath'] as const).flatMap(key =>
    typeof raw[key] === 'string' ? [[key, raw[key]]] : [],
  );
  const { rule, optionalOldSelf } = raw;
  return {
    rule: typeof rule === 'string' ? rule : '',
    ...Object.fromEntries(texts),
    ...(typeof optionalOldSelf === 'boolean' ? { optionalOldSelf } : {}),
  };
}
