// The state of the objects that a Cluster references. Pure.
import { valueAt } from '@capi-serverless/apimachinery';
import {
  type ConditionPreference,
  countAt,
  joined,
  type ObjectView,
  versionsOf,
  viewObject,
} from '../../../shared/explain/object-view.ts';
import type { Referred } from './snapshot.ts';

export const infrastructurePreference: ConditionPreference = ['Ready', 'Available'];
export const controlPlanePreference: ConditionPreference = ['Available', 'Ready'];
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

/** Replicas and versions of a control plane, if it reports them. */
export function viewControlPlane(referred: Referred): ObjectView {
  const view = viewReferred(referred, controlPlanePreference);
  if (referred.state !== 'found' || valueAt(referred.object, 'status.replicas') === undefined) {
    return view;
  }
  const { object } = referred;
  const counts = `${countAt(object, 'status.readyReplicas')}/${countAt(object, 'spec.replicas')} ready`;
  return { ...view, detail: joined(counts, versionsOf(object, 'spec.version'), view.detail) };
}
