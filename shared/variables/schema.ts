// Types of variables in ClusterClass spec and status, and in Clusters.
// https://pkg.go.dev/sigs.k8s.io/cluster-api/api/core/v1beta2#ClusterClassVariable

/** The labels and annotations of a variable. */
export interface VariableMetadata {
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** A CEL validation rule. */
interface VariableRule {
  readonly rule: string;
  readonly message?: string | undefined;
  readonly messageExpression?: string | undefined;
  readonly reason?: string | undefined;
  readonly fieldPath?: string | undefined;
}

/** The keywords of a variable's schema. "" or null is treated as absent. Members of `properties` are own members. */
export interface VariableSchema {
  readonly description?: string | undefined;
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly pattern?: string | undefined;
  readonly example?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[] | undefined;
  readonly properties?: Readonly<Record<string, VariableSchema>> | undefined;
  readonly additionalProperties?: VariableSchema | undefined;
  readonly maxProperties?: number | undefined;
  readonly minProperties?: number | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: VariableSchema | undefined;
  readonly maxItems?: number | undefined;
  readonly minItems?: number | undefined;
  readonly uniqueItems?: boolean | undefined;
  readonly maxLength?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minimum?: number | undefined;
  readonly exclusiveMaximum?: boolean | undefined;
  readonly exclusiveMinimum?: boolean | undefined;
  readonly allOf?: readonly VariableSchema[] | undefined;
  readonly oneOf?: readonly VariableSchema[] | undefined;
  readonly anyOf?: readonly VariableSchema[] | undefined;
  readonly not?: VariableSchema | undefined;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean | undefined;
  readonly 'x-kubernetes-int-or-string'?: boolean | undefined;
  readonly 'x-kubernetes-validations'?: readonly VariableRule[] | undefined;
  readonly 'x-metadata'?: VariableMetadata | undefined;
}

/** The definition of a variable by one source. */
interface Definition {
  readonly required?: boolean | undefined;
  readonly deprecatedV1Beta1Metadata?: VariableMetadata | undefined;
  readonly schema: { readonly openAPIV3Schema: VariableSchema };
}

/** An item of `ClusterClass.spec.variables` or of a DiscoverVariables response. */
export interface ClusterClassVariable extends Definition {
  readonly name: string;
}

/** One definition of a variable, from `inline` or from the patch with this name. */
export interface StatusVariableDefinition extends Definition {
  readonly from: string;
  readonly required: boolean;
}

/** An item of `ClusterClass.status.variables`. */
export interface StatusVariable {
  readonly name: string;
  readonly definitionsConflict: boolean;
  readonly definitions: readonly StatusVariableDefinition[];
}

/** A value of a Cluster or of an override. `value` is JSON, or undefined if absent. */
export interface ClusterVariable {
  readonly name: string;
  readonly value: unknown;
}
