// The scale subresource of custom resources: the replicas of an object in the form of autoscaling/v1.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#scale-subresource
import { type JsonObject, memberOf, withoutUndefined } from '@capi-serverless/apimachinery';
import { applyMergePatch } from '@capi-serverless/apimachinery/json-patch';
import { coreKind, plainVersion } from './built-in-kind.ts';
import { scaleSchema } from './built-in-schemas.ts';
import { type Context, liveAt, reportUnknown, servedAt } from './context.ts';
import { checkDepth } from './depth.ts';
import type { Address, ResourceEndpoint, ScalePaths } from './kinds.ts';
import { type ObjectDraft, type Stored, withManagedFields } from './object.ts';
import { ownedByWrite } from './ownership.ts';
import { textOfPath, valueAt } from './scale-paths.ts';
import { badRequest, conflict, notFound, StatusError } from './status.ts';
import { checkTypedBody } from './typed-body.ts';
import {
  applyPatch,
  checkAddress,
  checkPatchedType,
  checkVersion,
  type Patch,
  readDraft,
  replaceObject,
} from './update.ts';

const [version] = plainVersion(scaleSchema);
const scaleEndpoint: ResourceEndpoint = {
  resource: coreKind('Scale', 'scales', { group: 'autoscaling', versions: [version] }),
  version,
};

/** In the body of a patch, the replicas of an object that has none. */
const noReplicas = -(2 ** 31);

/** Returns the Scale of the object. Fails if the object has no replicas. */
export function getScale(context: Context, address: Address): Stored {
  const paths = scaleAt(address);
  const live = servedAt(address.endpoint, liveAt(context, address));
  if (valueAt(live, paths.specReplicas) === undefined) {
    const why = `the spec replicas field "${textOfPath(paths.specReplicas)}" does not exist`;
    throw new StatusError(500, 'InternalError', `Internal error occurred: ${why}`);
  }
  return toScale(live, paths);
}

/** Sets the replicas of the object to those of the body. Returns the Scale of the stored object. */
export function updateScale(context: Context, address: Address, body: unknown): Stored {
  const draft = reportUnknown(context, onUnknown => readDraft(scaleEndpoint, body, onUnknown));
  checkTypedBody(scaleEndpoint, draft);
  return write(context, address, { draft, live: liveAt(context, address) });
}

/** Applies the patch to the Scale of the object. Returns the Scale of the stored object. */
export function patchScale(context: Context, address: Address, patch: Patch): Stored {
  const paths = scaleAt(address);
  const live = liveAt(context, address);
  const patched = applyPatch(toScale(servedAt(address.endpoint, live), paths, noReplicas), patch);
  checkDepth(patched);
  checkPatchedType(scaleEndpoint, patched, address.name);
  const draft = reportUnknown(context, onUnknown => readDraft(scaleEndpoint, patched, onUnknown));
  checkTypedBody(scaleEndpoint, draft, true);
  return write(context, address, { draft, live });
}

function scaleAt({ endpoint, name }: Address): ScalePaths {
  if (endpoint.version.scale === undefined) {
    throw notFound(endpoint.resource, name);
  }
  return endpoint.version.scale;
}

function toScale({ metadata, ...object }: Stored, paths: ScalePaths, unset = 0): Stored {
  const { name, namespace, uid, resourceVersion, creationTimestamp = '' } = metadata;
  const { specReplicas, statusReplicas, selector } = paths;
  const replicas = valueAt(object, specReplicas) ?? unset;
  const selected = selector === undefined ? undefined : valueAt(object, selector);
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name, ...withoutUndefined({ namespace }), uid, resourceVersion, creationTimestamp },
    // Like other numbers of this API, 0 is omitted here. The replicas of the status are always present.
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: valueAt(object, statusReplicas) ?? 0,
      ...(typeof selected === 'string' && selected !== '' ? { selector: selected } : {}),
    },
  };
}

function nested([first = '', ...rest]: readonly string[], value: number): JsonObject {
  return { [first]: rest.length === 0 ? value : nested(rest, value) };
}

/** Returns the replicas of a Scale for this object. */
function checkedReplicas(address: Address, draft: ObjectDraft, { metadata }: Stored): number {
  const { name, endpoint } = address;
  const { uid } = draft.metadata;
  checkAddress(address, draft.metadata);
  const replicas = Number(memberOf(draft.spec, 'replicas') ?? 0);
  if (replicas === noReplicas) {
    throw badRequest(`the spec replicas field "${textOfPath(scaleAt(address).specReplicas)}" cannot be empty`);
  }
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`;
    throw conflict(endpoint.resource, name, why);
  }
  return replicas;
}

interface ScaleWrite {
  readonly live: Stored;
  readonly draft: ObjectDraft;
}

function write(context: Context, address: Address, { draft, live }: ScaleWrite): Stored {
  const { endpoint } = address;
  const { specReplicas } = scaleAt(address);
  const replicas = checkedReplicas(address, draft, live);
  const { resourceVersion = live.metadata.resourceVersion } = draft.metadata;
  const change = { ...nested(specReplicas, replicas), metadata: { resourceVersion } };
  // True: the object keeps its other members.
  const next = applyMergePatch(servedAt(endpoint, live), change) as Stored;
  checkVersion(address, next, live);
  const managedFields = ownedByWrite(context, endpoint, { live, draft: next, subresource: 'scale' });
  const owned = withManagedFields(next, managedFields);
  return toScale(replaceObject(context, address, { live, draft: owned, subresource: 'scale' }), scaleAt(address));
}
