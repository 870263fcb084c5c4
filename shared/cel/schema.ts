// Structural OpenAPI v3 schemas as CustomResourceDefinitions and ClusterClass variables hold them, as far as rules look at them.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules

export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** What is of another type than told here counts as absent: whether a schema is well formed is asked elsewhere. */
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

// What stands in a definition is JSON from anywhere: these readers take what is of another type for absent.

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listIn<T>(value: readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? value : [];
}

/** The schema of the values of free keys; undefined where there are none, or any. */
export function valuesOf({ additionalProperties }: StructuralSchema): StructuralSchema | undefined {
  return typeof additionalProperties === 'object' && isObject(additionalProperties) ? additionalProperties : undefined;
}

export function itemsOf({ items }: StructuralSchema): StructuralSchema | undefined {
  return isObject(items) ? items : undefined;
}

export function membersOf({ properties }: StructuralSchema): readonly (readonly [string, StructuralSchema])[] {
  return isObject(properties) ? Object.entries(properties).filter(([, schema]) => isObject(schema)) : [];
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

/** A rule without text is one with an empty text: it is refused. */
export function rulesOf(schema: StructuralSchema): readonly ValidationRule[] {
  return listIn(schema['x-kubernetes-validations']).map(rule => (isObject(rule) ? toRule(rule) : { rule: '' }));
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
