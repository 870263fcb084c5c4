// A reference without an API version: the referenced object, and whether this object belongs to a topology.
import {
  type Answer,
  type Checked,
  groupOf,
  invalid,
  mapChecked,
  type ObjectMeta,
  type ObjectRef,
  prefixed,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { chooseContract } from '@capi-serverless/cluster-api/contract';
import type { ContractReference } from '../../../../shared/api/cluster/reader.ts';
import type { TemplateRef } from '../../../../shared/api/topology-parts.ts';
import { ownedLabel } from '../../../../shared/topology/model/keys.ts';
import { nameObject } from '../change-texts.ts';

/** The reference, the reference in the class from which its object was created, and the namespace of the object. */
export interface StoredReference {
  readonly ref: ContractReference;
  readonly from: TemplateRef;
  /**
   * 'template': the reference names a template. 'object': the reference names an object that was created from a
   * template.
   */
  readonly names: 'template' | 'object';
  readonly namespace: string;
}

/** Returns true if group and kind are those of the class. Then the object is read in the version of the class. */
export function isOfClass({ ref, from, names }: StoredReference): boolean {
  const madeKind = names === 'template' ? from.kind : from.kind.replace(/Template$/, '');
  return groupOf(from.apiVersion) === ref.apiGroup && madeKind === ref.kind;
}

export function toObjectRef({ ref, namespace }: StoredReference, apiVersion: string): ObjectRef {
  return { apiVersion, kind: ref.kind, namespace, name: ref.name };
}

/**
 * Returns the reference in the version of the newest contract. `definition` is the metadata of the kind's
 * CustomResourceDefinition.
 */
export function toAlignedRef(stored: StoredReference, definition: Answer<ObjectMeta>): Checked<ObjectRef> {
  const contract = definition.ok
    ? chooseContract(definition.value)
    : invalid(`failed to get CustomResourceDefinition metadata: ${definition.failure.message}`);
  const { apiGroup } = stored.ref;
  return mapChecked(prefixed(contract, 'failed to align ref apiVersion'), ({ version }) =>
    toObjectRef(stored, `${apiGroup}/${version}`),
  );
}

/** Any value of the label is accepted. */
export function isTopologyOwned({ metadata }: Unstructured): boolean {
  return Object.hasOwn(metadata.labels ?? {}, ownedLabel);
}

/** The object must belong to a topology. Other objects are never written. */
export function checkOwned(object: Checked<Unstructured>, referrer: string): Checked<Unstructured> {
  return object.ok && !isTopologyOwned(object.value)
    ? invalid(`${nameObject(object.value)} referenced from ${referrer} is not topology owned`)
    : object;
}
