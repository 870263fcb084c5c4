// What a real API server would make of an apply: the embedded server's own code tries it, on a server that holds nothing but
// the definition of the kind and the one object.
import type { Answer } from '../../../shared/api/answer.ts';
import { groupOf, type Instant, type Intent, type Unstructured, versionOf } from '../../../shared/api/object.ts';
import type { Reads } from '../../../shared/kernel/types.ts';
import type { ApplyOptions } from '../../../shared/kubernetes/port.ts';
import { crdNameOf, pluralOf } from '../../../shared/names/plural.ts';
import { createApiCore } from '../apiserver/core/api-core.ts';
import type { Snapshot } from '../apiserver/core/snapshot.ts';
import { StatusError } from '../apiserver/core/status.ts';
import { createMemoryKubernetes } from '../apiserver/memory-kubernetes.ts';
import { toAssumedDefinition } from './assumed-definition.ts';

/** `live`: as it is now, managed fields included; `undefined` where there is none. Versions and uids are none that count. */
export type Trial = (
  object: Intent,
  live: Unstructured | undefined,
  options: ApplyOptions,
) => Promise<Answer<Unstructured>>;

const definitionVersion = 'apiextensions.k8s.io/v1';
const definitionKind = 'CustomResourceDefinition';

/** Any version that is none of a real server; what counts is whether it changes. */
const liveVersion = '1';

/** Reads every definition once. A kind whose definition cannot be read, or used, is taken to allow everything. */
export function toTrial(reads: Pick<Reads, 'get'>, now: Instant): Trial {
  const known = new Map<string, Promise<Snapshot>>();
  const begin = (object: Intent): Promise<Snapshot> => {
    const { apiVersion, kind } = object;
    const key = JSON.stringify([apiVersion, kind]);
    const begun = known.get(key) ?? beginWith(object, reads, now);
    known.set(key, begun);
    return begun;
  };
  return async (object, live, options) => {
    const snapshot = await begin(object);
    const objects = [...snapshot.objects, ...roomOf(object, snapshot), ...(live === undefined ? [] : [toStored(live)])];
    const core = createApiCore({ now: () => now, ids, snapshot: { ...snapshot, objects } });
    return createMemoryKubernetes(core).dryRun.apply(object, options);
  };
}

const ids = { uid: () => 'of-a-trial', nameSuffix: () => 'trial' };

async function beginWith(object: Intent, reads: Pick<Reads, 'get'>, now: Instant): Promise<Snapshot> {
  const { apiVersion, kind, metadata } = object;
  const empty = createApiCore({ now: () => now, ids });
  if (empty.registry.ofGroupKind(apiVersion, kind) !== undefined) {
    return empty.snapshot();
  }
  const group = groupOf(apiVersion);
  const name = crdNameOf({ group, kind });
  const assumed = toAssumedDefinition({
    ...{ group, kind, plural: pluralOf(kind), version: versionOf(apiVersion), labels: {} },
    isNamed: metadata.namespace !== undefined,
  });
  const answer = await reads.get({ apiVersion: definitionVersion, kind: definitionKind, name });
  const defined = answer.ok ? withDefinition(toFresh(answer.value), now) : undefined;
  return defined ?? withDefinition(assumed, now) ?? empty.snapshot();
}

/** `undefined`: the embedded server does not take this definition. */
function withDefinition(definition: Intent, now: Instant): Snapshot | undefined {
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

/** The namespace that the object is in. */
function roomOf({ metadata: { namespace } }: Intent, { objects }: Snapshot): Snapshot['objects'] {
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

function toStored(live: Unstructured): Snapshot['objects'][number] {
  return { ...live, metadata: { ...live.metadata, resourceVersion: liveVersion } };
}
