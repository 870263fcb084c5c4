// The contract of a control plane: that of its kind in the version in which its objects are written.

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

/** The kind that the name of the template's kind suggests. */
export function likelyKind({ apiVersion, kind }: TemplateRef): ObjectKind {
  return { apiVersion, kind: kind.replace(/Template$/, '') };
}

/** The kind that the template itself names, else the likely one. An unreadable template is reported elsewhere. */
export function statedKind(template: Answer<Unstructured>, likely: ObjectKind): ObjectKind {
  const body = template.ok ? valueAt(template.value.spec, 'template') : undefined;
  const { apiVersion = likely.apiVersion, kind = likely.kind } = stated.parse(body);
  return { apiVersion, kind };
}

const stated = section({ apiVersion: text, kind: text });

export function isSameKind(a: ObjectKind, b: ObjectKind): boolean {
  return a.apiVersion === b.apiVersion && a.kind === b.kind;
}

/** The CustomResourceDefinition whose metadata states the contract. */
export function definitionOf({ apiVersion, kind }: ObjectKind): { readonly group: string; readonly kind: string } {
  return { group: groupOf(apiVersion), kind };
}

export function toContract({ apiVersion }: ObjectKind, definition: Answer<ObjectMeta>): Checked<ContractVersion> {
  const contract = definition.ok
    ? contractOfVersion(definition.value, versionOf(apiVersion))
    : invalid<ContractVersion>(`failed to get CustomResourceDefinition metadata: ${definition.failure.message}`);
  return prefixed(contract, 'failed to get contract version for the ControlPlane object');
}
