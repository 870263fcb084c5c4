// Caches the reads of one pass. Classes share templates, and many references use the same definition.
import {
  type Answer,
  crdNameOf,
  type ObjectMeta,
  type ObjectRef,
  type Reads,
  type Unstructured,
} from '@capi-serverless/apimachinery';

export interface PassReads {
  get(ref: ObjectRef): Promise<Answer<Unstructured>>;
  list: Reads['list'];
  metadata: Reads['metadata'];
  /** Returns the metadata of the CustomResourceDefinition of a kind. */
  definition(kind: { readonly group: string; readonly kind: string }): Promise<Answer<ObjectMeta>>;
}

export function toPassReads(ask: Reads): PassReads {
  const objects = new Map<string, Promise<Answer<Unstructured>>>();
  const definitions = new Map<string, Promise<Answer<ObjectMeta>>>();
  return {
    list: ask.list.bind(ask),
    metadata: ask.metadata.bind(ask),
    get: ref => {
      const { apiVersion, kind, namespace, name } = ref;
      return once(objects, JSON.stringify([apiVersion, kind, namespace, name]), () => ask.get(ref));
    },
    definition: kind => {
      const name = crdNameOf(kind);
      const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name };
      return once(definitions, name, () => ask.metadata(ref));
    },
  };
}

function once<T>(known: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const found = known.get(key) ?? read();
  known.set(key, found);
  return found;
}
