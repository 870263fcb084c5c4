// The part of an object that is applied: the fields that a topology may own, without fields of providers.

import { type Intent, isJsonObject, type JsonObject, memberOf, withoutUndefined } from '@capi-serverless/apimachinery';

/** Names of members, from the root of the object. */
export type Path = readonly string[];

const ownedMetadata = ['name', 'namespace', 'labels', 'annotations', 'ownerReferences'] as const;

/** If the template of an infrastructure cluster or a control plane has no endpoint, the provider sets it. */
const endpointDefaults: readonly { readonly path: Path; readonly empty: unknown }[] = [
  { path: ['spec', 'controlPlaneEndpoint', 'host'], empty: '' },
  { path: ['spec', 'controlPlaneEndpoint', 'port'], empty: 0 },
];

/**
 * The parts of an endpoint with zero values. They are never sent, because they would reset the values of the provider.
 */
export function emptyEndpointPaths(desired: Intent): readonly Path[] {
  return endpointDefaults
    .filter(({ path, empty }) => path.reduce<unknown>(memberOf, desired) === empty)
    .map(({ path }) => path);
}

/**
 * Returns the desired object with only names, labels, annotations, owner references and spec. Paths in `ignored` are
 * removed.
 */
export function toIntent(desired: Intent, ignored: readonly Path[] = []): Intent {
  const { apiVersion, kind, metadata, spec } = desired;
  const { name } = metadata;
  const kept = Object.fromEntries(
    ownedMetadata.flatMap(field => (metadata[field] === undefined ? [] : [[field, metadata[field]]])),
  );
  const intent: Intent = {
    apiVersion,
    kind,
    metadata: { ...kept, name },
    ...withoutUndefined({ spec }),
  };
  return ignored.reduce(withoutPath, intent);
}

/** Returns a copy without this field. Objects that become empty are removed too, except the root. */
export function withoutPath<T extends object>(object: T, path: Path): T {
  const [field = '', ...rest] = path;
  const value = memberOf(object, field);
  if (value === undefined) {
    return object;
  }
  const remaining = rest.length > 0 && isJsonObject(value) ? withoutPath(value, rest) : value;
  if (remaining === value && rest.length > 0) {
    return object;
  }
  const isGone = rest.length === 0 || isEmpty(remaining);
  const { [field]: _, ...others } = { ...object } as JsonObject; // True: members of any object can be read.
  return (isGone ? others : { ...others, [field]: remaining }) as T; // True: callers remove optional fields only.
}

function isEmpty(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}
