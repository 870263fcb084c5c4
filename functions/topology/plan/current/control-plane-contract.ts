// The contract of a control plane: the contract of its kind in the version that this reconciler writes.

import {
  type Answer,
  type Checked,
  groupOf,
  invalid,
  type ObjectMeta,
  prefixed,
  type Unstructured,
  valueAt,
  versionOf,
} from '@capi-serverless/apimachinery';
import { type ContractVersion, contractOfVersion } from '@capi-serverless/cluster-api/contract';
import { section, text } from '../../../../shared/api/fields.ts';
import type { TemplateRef } from '../../../../shared/api/topology-parts.ts';

export interface ObjectKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Returns the kind that follows from the name of the template's kind. */
export function likelyKind({ apiVersion, kind }: TemplateRef): ObjectKind {
  return { apiVersion, kind: kind.replace(/Template$/, '') };
}

/** Returns the kind in the template, or else the likely kind. Another function reports an unreadable template. */
export function statedKind(template: Answer<Unstructured>, likely: ObjectKind): ObjectKind {
  const body = template.ok ? valueAt(template.value.spec, 'template') : undefined;
  const { apiVersion = likely.apiVersion, kind = likely.kind } = stated.parse(body);
  return { apiVersion, kind };
}

const stated = section({ apiVersion: text, kind: text });

export function isSameKind(a: ObjectKind, b: ObjectKind): boolean {
  return a.apiVersion === b.apiVersion && a.kind === b.kind;
}

/** Returns the CustomResourceDefinition whose metadata contains the contract. */
export function definitionOf({ apiVersion, kind }: ObjectKind): { readonly group: string; readonly kind: string } {
  return { group: groupOf(apiVersion), kind };
}

export function toContract({ apiVersion }: ObjectKind, definition: Answer<ObjectMeta>): Checked<ContractVersion> {
  const contract = definition.ok
    ? contractOfVersion(definition.value, versionOf(apiVersion))
    : invalid<ContractVersion>(`failed to get CustomResourceDefinition metadata: ${definition.failure.message}`);
  return prefixed(contract, 'failed to get contract version for the ControlPlane object');
}
