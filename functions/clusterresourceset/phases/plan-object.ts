// The write of one object to a workload cluster. Its kind must be known there.
import {
  type Checked,
  compareText,
  invalid,
  type JsonObject,
  type MergePatch,
  mergeDiff,
  type ObjectRef,
  toRecord,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import type { Discovered, LiveObject } from '../seen.ts';
import { manifestText, type ObjectManifest } from './manifest.ts';

export type ObjectWrite =
  | { readonly do: 'nothing' }
  | { readonly do: 'refuse'; readonly error: string }
  | { readonly do: 'create'; readonly place: ObjectRef }
  | { readonly do: 'patch'; readonly place: ObjectRef; readonly change: MergePatch };

/** A group and a version, each of them a part of a path. */
const apiVersionPattern = /^(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?\/)?[a-z0-9]+$/;

/** The apiVersions that must be looked up, sorted. */
export function apiVersionsOf(manifests: readonly ObjectManifest[]): readonly string[] {
  const all = manifests.map(({ apiVersion }) => apiVersion).filter(apiVersion => apiVersionPattern.test(apiVersion));
  return [...new Set(all)].toSorted(compareText);
}

/** Returns the reference of the object, with name "" if the server generates it. Fails if its kind is unknown. */
export function placeOf(manifest: ObjectManifest, discovered: Discovered, strategy: string): Checked<ObjectRef> {
  const { apiVersion, kind, namespace, name, generateName } = manifest;
  const served = discovered.get(apiVersion) ?? valid([]);
  if (!served.ok) {
    return served;
  }
  const resource = served.value.find(each => each.kind === kind);
  if (resource === undefined) {
    return invalid(`no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`);
  }
  const isRead = strategy === 'Reconcile';
  if (name === '' && (isRead || generateName === '')) {
    return invalid('resource name may not be empty');
  }
  if (resource.isNamespaced && namespace === '') {
    const when = isRead ? 'when a resource name is provided' : 'during creation';
    return invalid(`an empty namespace may not be set ${when}`);
  }
  // A namespace of an object without namespace is ignored.
  return valid({
    apiVersion,
    kind,
    plural: resource.plural,
    name,
    ...(resource.isNamespaced ? { namespace } : {}),
  });
}

/** With ApplyOnce, an existing object is kept as it is. With Reconcile, it is replaced. */
export function planObject(
  manifest: ObjectManifest,
  place: Checked<ObjectRef>,
  { live, strategy }: { readonly live: LiveObject; readonly strategy: string },
): ObjectWrite {
  const reading = strategy === 'Reconcile' ? 'reading' : 'creating';
  if (!place.ok) {
    return { do: 'refuse', error: `${reading} object ${manifestText(manifest)}: ${place.error}` };
  }
  switch (live.state) {
    case 'unread':
    case 'missing':
      return { do: 'create', place: place.value };
    case 'unreadable':
      return { do: 'refuse', error: `${reading} object ${manifestText(manifest)}: ${live.error}` };
    case 'found': {
      const change = differenceOf(live.object, manifest.object);
      return change === undefined ? { do: 'nothing' } : { do: 'patch', place: place.value, change };
    }
  }
}

/** Returns the patch that makes the object that of the manifest. Every field that the manifest lacks is removed. */
function differenceOf(live: Unstructured, wanted: JsonObject): MergePatch | undefined {
  const { resourceVersion } = live.metadata;
  return mergeDiff(live, { ...wanted, metadata: { ...toRecord(wanted['metadata']), resourceVersion } });
}
