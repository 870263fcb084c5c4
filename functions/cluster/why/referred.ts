// The state of the objects that a Cluster references. Pure.
import { valueAt } from '@capi-serverless/apimachinery';
import {
  type ConditionPreference,
  countAt,
  joined,
  type ObjectView,
  versionsOf,
} from '../../../shared/explain/object-view.ts';
import { type Referred, viewReferred } from '../../../shared/explain/referred.ts';

export const controlPlanePreference: ConditionPreference = ['Available', 'Ready'];

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
