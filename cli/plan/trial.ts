// Computes the result of an apply on an API server. The code of the embedded server runs with only the definition of
// the kind and this object.

import {
  type Answer,
  type ApplyOptions,
  crdNameOf,
  groupOf,
  type Instant,
  type Intent,
  pluralOf,
  type Reads,
  type Unstructured,
  versionOf,
} from '@capi-serverless/apimachinery';
import { createApiCore, StatusError } from '@capi-serverless/apiserver/core';
import type { StoreSnapshot } from '@capi-serverless/apiserver/snapshot';
import { createMemoryKubernetes } from '../../shared/kubernetes/memory/memory-kubernetes.ts';
import { toAssumedDefinition } from './assumed-definition.ts';

/**
 * `live` is the current object with managed fields. `undefined` if none exists. Versions and uids in the result are
 * placeholders.
 */
export type TryApply = (
  object: Intent,
  live: Unstructured | undefined,
  options: ApplyOptions,
) => Promise<Answer<Unstructured>>;

const definitionVersion = 'apiextensions.k8s.io/v1';
const definitionKind = 'CustomResourceDefinition';

/** A placeholder version. Only the change of the version is significant. */
const liveVersion = '1';

/** Reads every definition once. If the definition of a kind cannot be read or used, any fields are accepted. */
export function toTrial(reads: Pick<Reads, 'get'>, now: Instant): TryApply {
  const known = new Map<string, Promise<StoreSnapshot>>();
  const begin = (object: Intent): Promise<StoreSnapshot> => {
    const { apiVersion, kind } = object;
    const key = JSON.stringify([apiVersion, kind]);
    const begun = known.get(key) ?? beginWith(object, reads, now);
    known.set(key, begun);
    return begun;
  };
  return async (object, live, options) => {
    const snapshot = await begin(object);
    const objects = [
      ...snapshot.objects,
      ...namespaceOf(object, snapshot),
      ...(live === undefined ? [] : [toStored(live)]),
    ];
    const core = createApiCore({ now: () => now, ids, snapshot: { ...snapshot, objects } });
    return createMemoryKubernetes(core).dryRun.apply(object, options);
  };
}

const ids = { uid: () => 'of-a-trial', nameSuffix: () => 'trial' };

async function beginWith(object: Intent, reads: Pick<Reads, 'get'>, now: Instant): Promise<StoreSnapshot> {
  const { apiVersion, kind, metadata } = object;
  const empty = createApiCore({ now: () => now, ids });
  if (empty.registry.ofGroupKind(apiVersion, kind) !== undefined) {
    return empty.snapshot();
  }
  const group = groupOf(apiVersion);
  const name = crdNameOf({ group, kind });
  const assumed = toAssumedDefinition({
    group,
    kind,
    plural: pluralOf(kind),
    version: versionOf(apiVersion),
    labels: {},
    isNamed: metadata.namespace !== undefined,
  });
  const answer = await reads.get({ apiVersion: definitionVersion, kind: definitionKind, name });
  const defined = answer.ok ? withDefinition(toFresh(answer.value), now) : undefined;
  return defined ?? withDefinition(assumed, now) ?? empty.snapshot();
}

/** Returns `undefined` if the embedded server refuses this definition. */
function withDefinition(definition: Intent, now: Instant): StoreSnapshot | undefined {
  const core = createApiCore({ now: () => now, ids });
  try {
    core.create(core.registry.endpointOfKind(definitionVersion, definitionKind), '', definition);
    return core.snapshot();
  } catch (thrown) {
    if (thrown instanceof StatusError) {
      return undefined;
    }
    throw thrown;
  }
}

function toFresh({ metadata: { name }, spec }: Unstructured): Intent {
  return { apiVersion: definitionVersion, kind: definitionKind, metadata: { name }, spec };
}

/** The namespace of the object. */
function namespaceOf({ metadata: { namespace } }: Intent, { objects }: StoreSnapshot): StoreSnapshot['objects'] {
  if (
    namespace === undefined ||
    objects.some(({ kind, metadata }) => kind === 'Namespace' && metadata.name === namespace)
  ) {
    return [];
  }
  return [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, uid: 'of-a-namespace', resourceVersion: liveVersion },
      spec: {},
      status: { phase: 'Active' },
    },
  ];
}

function toStored(live: Unstructured): StoreSnapshot['objects'][number] {
  return { ...live, metadata: { ...live.metadata, resourceVersion: liveVersion } };
}
