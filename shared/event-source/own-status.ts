// What a primary contains besides the status that its reconciler writes. A pass has seen everything that its report depends
// on, so the event of the report need not cause another pass.
import type { JsonObject, Unstructured } from '@capi-serverless/apimachinery';
import { selectConditions } from '@capi-serverless/cluster-api/conditions';
import { type Declaration, deprecatedConditionsPath } from '@capi-serverless/reconciler';
import { rawEntries } from '../server-side-apply/managed-fields.ts';

type Reporter = Pick<Declaration, 'fieldManager' | 'owns' | 'v1beta1Path'>;

/**
 * Returns the content of a primary without the status that this reconciler has written. The managed fields tell who wrote
 * it, so the status is not read.
 */
export function contentWithoutOwnStatus(
  object: Unstructured,
  { fieldManager }: Pick<Reporter, 'fieldManager'>,
): string {
  const reports = rawEntries(object).filter(({ subresource }) => subresource === 'status');
  const others = reports.filter(({ manager }) => manager !== fieldManager);
  const own = reports.filter(({ manager }) => manager === fieldManager);
  // Times are in seconds, so only an earlier second is before.
  const isOwn = own.length > 0 && others.every(other => own.some(entry => toTime(other) < toTime(entry)));
  // A field that someone else has changed or removed is no longer ours.
  const fields = own.map(({ fieldsV1 }) => fieldsV1);
  const { finalizers, resourceVersion } = object.metadata;
  return JSON.stringify([...readMetadata(object), finalizers, others, fields, isOwn ? '' : resourceVersion]);
}

/** The metadata that contents of watches have in common. A change of the spec has another generation. */
export function readMetadata({ metadata }: Unstructured): readonly unknown[] {
  const { uid, generation, deletionTimestamp, labels, annotations, ownerReferences } = metadata;
  return [uid, generation, deletionTimestamp, labels, annotations, ownerReferences];
}

/** An entry without a time was perhaps written last. */
const toTime = ({ time }: JsonObject): string => String(time ?? '~');

/** The dotted paths of the conditions of a primary, below the object. */
export function conditionPaths(reporter: Pick<Reporter, 'v1beta1Path'>): readonly string[] {
  return ['conditions', deprecatedConditionsPath(reporter)].map(path => `status.${path}`);
}

/** Returns the conditions that other reconcilers write. */
export function conditionsOfOthers(object: Unstructured, reporter: Reporter): readonly unknown[] {
  const { conditions, v1beta1 } = reporter.owns;
  const own = new Set<unknown>([...conditions, ...v1beta1]);
  return conditionPaths(reporter).map(path => selectConditions(object, path, type => !own.has(type)));
}
