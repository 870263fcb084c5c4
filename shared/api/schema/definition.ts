// Converts the description of one kind to its CustomResourceDefinition (apiextensions.k8s.io/v1).

import { crdNameOf, type Intent, type Kind, pluralOf, withoutUndefined } from '@capi-serverless/apimachinery';
import { type JsonSchema, object, text } from './json-schema.ts';

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  /** Columns above 0 are shown only with `kubectl get -o wide`. */
  readonly priority?: number;
}

export interface CustomResourceDefinition extends Intent {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly group: string;
    readonly scope: Kind['scope'];
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames?: readonly string[];
      readonly categories?: readonly string[];
    };
    readonly versions: readonly CrdVersion[];
  };
}

export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema: { readonly openAPIV3Schema: JsonSchema };
  readonly subresources: { readonly status?: Readonly<Record<string, never>>; readonly scale?: ScalePaths };
  readonly additionalPrinterColumns: readonly PrinterColumn[];
}

interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** The properties of a kind. Every kind has one version. */
interface KindDescription {
  readonly description: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Default: `Namespaced`. */
  readonly scope?: Kind['scope'];
  readonly shortNames?: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly spec?: JsonSchema;
  /** Further fields beside `metadata`. Default: none. */
  readonly fields?: Readonly<Record<string, JsonSchema>>;
  /** The API server rejects objects without these fields. Default: `spec`. */
  readonly required?: readonly ('metadata' | 'spec')[];
  /** If set, the kind has a status subresource. Templates have no status subresource. */
  readonly status?: JsonSchema;
  readonly scale?: ScalePaths;
  readonly columns: readonly PrinterColumn[];
}

/** Returns the CustomResourceDefinition of this kind. */
export function toDefinition(kind: KindDescription): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crdNameOf(kind), labels: kind.labels },
    spec: {
      group: kind.group,
      scope: kind.scope ?? 'Namespaced',
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: pluralOf(kind.kind),
        singular: kind.kind.toLowerCase(),
        ...withoutUndefined({ shortNames: kind.shortNames }),
        categories: ['cluster-api'],
      },
      versions: [toVersion(kind)],
    },
  };
}

function toVersion(kind: KindDescription): CrdVersion {
  return {
    name: kind.version,
    served: true,
    storage: true,
    schema: { openAPIV3Schema: toRootSchema(kind) },
    subresources: {
      ...(kind.status === undefined ? {} : { status: {} }),
      ...withoutUndefined({ scale: kind.scale }),
    },
    additionalPrinterColumns: kind.columns,
  };
}

function toRootSchema(kind: KindDescription): JsonSchema {
  return object(
    kind.description,
    {
      apiVersion: text('Group and version of this object.'),
      kind: text('Kind of this object.'),
      metadata: { type: 'object' },
      ...withoutUndefined({ spec: kind.spec, status: kind.status }),
      ...kind.fields,
    },
    kind.required?.length === 0 ? {} : { required: kind.required ?? ['spec'] },
  );
}

/** A column with the status of one condition. */
export function conditionColumn(name: string, options: { readonly type?: string; readonly priority?: number } = {}) {
  const path = `.status.conditions[?(@.type=="${options.type ?? name}")].status`;
  return column(name, path, options.priority);
}

export function column(name: string, jsonPath: string, priority = 0): PrinterColumn {
  return { name, type: 'string', jsonPath, ...(priority === 0 ? {} : { priority }) };
}

export function countColumn(name: string, jsonPath: string, priority = 0): PrinterColumn {
  return { ...column(name, jsonPath, priority), type: 'integer' };
}

export const ageColumn: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** The priority of upstream's columns in the wide output. */
export const wide = 10;
