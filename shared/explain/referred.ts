// An object of a provider that a core object references, as it was read for an explanation. Pure.
import { type Answer, crdNameOf, type ObjectMeta, type Unstructured } from '@capi-serverless/apimachinery';
import { chooseContract } from '@capi-serverless/cluster-api/contract';
import type { ContractReference } from '../api/cluster/reader.ts';
import { type ConditionPreference, type ObjectView, viewObject } from './object-view.ts';

/** The API version in which a referenced kind can be read, or the reason why it cannot be read. */
export type Served =
  | { readonly state: 'served'; readonly apiVersion: string }
  /** The CustomResourceDefinition does not exist. */
  | { readonly state: 'notInstalled'; readonly crd: string }
  | { readonly state: 'unreadable'; readonly error: string };

/** The object that a reference names. */
export type Referred = { readonly kind: string; readonly name: string } & (
  | { readonly state: 'found'; readonly object: Unstructured }
  | { readonly state: 'missing' }
  /** The object was not read yet. */
  | { readonly state: 'pending' }
  | Exclude<Served, { readonly state: 'served' }>
);

/** The labels of the CustomResourceDefinition determine the version in which a kind is read. */
export function toServed(
  { apiGroup, kind }: Pick<ContractReference, 'apiGroup' | 'kind'>,
  crd: Answer<ObjectMeta>,
): Served {
  const name = crdNameOf({ group: apiGroup, kind });
  if (!crd.ok) {
    const error = `CustomResourceDefinition ${name} cannot be read: ${crd.failure.message}`;
    return crd.missing ? { state: 'notInstalled', crd: name } : { state: 'unreadable', error };
  }
  const contract = chooseContract(crd.value);
  return contract.ok
    ? { state: 'served', apiVersion: `${apiGroup}/${contract.value.version}` }
    : { state: 'unreadable', error: contract.error };
}

export const infrastructurePreference: ConditionPreference = ['Ready', 'Available'];
export const machinePreference: ConditionPreference = ['Available', 'Ready'];

export function viewReferred(referred: Referred, preference: ConditionPreference): ObjectView {
  switch (referred.state) {
    case 'found':
      return viewObject(referred.object, preference);
    case 'missing':
      return { mark: 'missing', detail: 'does not exist' };
    case 'pending':
      return { mark: 'unknown', detail: '' };
    case 'notInstalled':
      return { mark: 'missing', detail: `CustomResourceDefinition ${referred.crd} is not installed` };
    case 'unreadable':
      return { mark: 'failing', detail: referred.error };
  }
}

/** Returns text such as `which is not ready: …`. */
export function toStateText({ mark, detail }: ObjectView): string {
  const state = { ready: 'ready', waiting: 'not ready', failing: 'failing', paused: 'paused' } as const;
  const others = { deleting: 'being deleted', missing: '', unknown: 'not reporting' } as const;
  const text = { ...state, ...others }[mark];
  if (text === '') {
    return `which ${detail === 'does not exist' ? detail : `cannot exist: ${detail}`}`;
  }
  return `which is ${text}${detail === '' ? '' : `: ${detail}`}`;
}
