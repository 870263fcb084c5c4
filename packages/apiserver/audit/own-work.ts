// Maps changes by the server's controllers to requests of these controllers, as on kube-apiserver. Pure.

import type { JsonObject } from '@capi-serverless/apimachinery';
import { finalizersOf, type Stored } from '../core/object.ts';
import type { OwnChange } from '../core/own-controllers.ts';

interface OwnRequest {
  readonly user: string;
  readonly verb: 'delete' | 'patch' | 'update';
  readonly subresource: '' | 'finalize';
  readonly responseObject: JsonObject;
}

/** The request that corresponds to the change, and its response. */
export function toOwnRequest({ by, resource, change }: OwnChange): OwnRequest {
  const { type, object, previous } = change;
  const user = `system:serviceaccount:kube-system:${by}`;
  const wasDeleting = previous?.metadata.deletionTimestamp !== undefined;
  const begins = object.metadata.deletionTimestamp !== undefined && !wasDeleting;
  if (type === 'DELETED' && previous !== undefined && wasDeleting) {
    // The response contains the object after the last write: without finalizers, with its previous version.
    return resource.kind === 'Namespace'
      ? { user, verb: 'update', subresource: 'finalize', responseObject: { ...previous, spec: {} } }
      : { user, verb: 'patch', subresource: '', responseObject: withoutFinalizers(previous) };
  }
  if (type === 'DELETED') {
    const { group, plural: kind } = resource;
    const details = { name: object.metadata.name, ...(group === '' ? {} : { group }), kind, uid: object.metadata.uid };
    const responseObject = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
    return { user, verb: 'delete', subresource: '', responseObject };
  }
  return { user, verb: begins ? 'delete' : 'patch', subresource: '', responseObject: object };
}

function withoutFinalizers(object: Stored): JsonObject {
  if (finalizersOf(object).length === 0) {
    return object;
  }
  const { finalizers: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
