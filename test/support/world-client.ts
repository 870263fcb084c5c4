// A client for integration tests, similar to kubectl: create, change, delete, and wait for conditions.

import type { Intent, Kubernetes, ObjectRef, Unstructured } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { loadCredentials } from '../../shared/kubernetes/credentials/load.ts';
import { accepted } from './accepted.ts';
import { createTestClient } from './test-client.ts';

export interface WorldClient {
  readonly kubernetes: Kubernetes;
  /** Creates the object, then writes its status, if it has one. */
  create(object: Intent): Promise<Unstructured>;
  /** Returns `undefined` if it does not exist. */
  read(ref: ObjectRef): Promise<Unstructured | undefined>;
  patch(ref: ObjectRef, body: Readonly<Record<string, unknown>>, subresource?: 'status'): Promise<Unstructured>;
  remove(ref: ObjectRef): Promise<void>;
  /**
   * Watches the object until the condition is true and returns it. Returns `undefined` if it was deleted. `since` is an
   * earlier version. No later version is missed, even if it exists already. Rejects after a timeout.
   */
  until(
    ref: ObjectRef,
    wish: (object: Unstructured | undefined) => boolean,
    since?: Unstructured,
  ): Promise<Unstructured | undefined>;
  events(namespace: string): Promise<readonly Unstructured[]>;
}

export async function connectWorldClient(kubeconfigPath: string): Promise<WorldClient> {
  const kubernetes = createTestClient({ credentials: await loadCredentials({ kubeconfigPath }), client: 'test' });
  const read = async (ref: ObjectRef): Promise<Unstructured | undefined> => {
    const answer = await kubernetes.get(ref);
    if (!answer.ok && !answer.missing) {
      throw new Error(answer.failure.message);
    }
    return answer.ok ? answer.value : undefined;
  };
  const patch: WorldClient['patch'] = async (ref, body, subresource) =>
    accepted(await kubernetes.mergePatch(ref, body, subresource === undefined ? {} : { subresource }));
  return {
    kubernetes,
    read,
    patch,
    async create(object) {
      const { status, ...rest } = object;
      const created = accepted(await kubernetes.create(rest as Intent)); // true: it is an intent without its status
      const { apiVersion, kind, metadata } = created;
      return status === undefined ? created : patch({ apiVersion, kind, ...named(metadata) }, { status }, 'status');
    },
    async remove(ref) {
      accepted(await kubernetes.delete(ref));
    },
    until: (ref, wish, since) => follow({ kubernetes, read, ref, wish, since }),
    async events(namespace) {
      return accepted(await kubernetes.list({ apiVersion: 'v1', kind: 'Event', namespace }));
    },
  };
}

function named({ name, namespace }: Unstructured['metadata']) {
  return namespace === undefined ? { name } : { name, namespace };
}

interface Following {
  readonly kubernetes: Kubernetes;
  readonly read: WorldClient['read'];
  readonly ref: ObjectRef;
  readonly wish: (object: Unstructured | undefined) => boolean;
  readonly since: Unstructured | undefined;
}

/** Much shorter than the limit of a test or its setup, so that a failed one says which object it waited for. */
const longestWaitMs = 400_000;

/** Reads once, or begins at the given version. Then follows the watch without polling. */
async function follow({ kubernetes, read, ref, wish, since }: Following): Promise<Unstructured | undefined> {
  const signal = AbortSignal.timeout(longestWaitMs);
  const query = { ...ref, as: 'object' } as const;
  let last = since;
  let resourceVersion = since?.metadata.resourceVersion;
  while (!signal.aborted) {
    if (resourceVersion === undefined) {
      const page = await kubernetes.watches.page(query, { limit: 500, signal });
      last = await read(ref);
      resourceVersion = page.ok ? page.value.resourceVersion : undefined;
    }
    if (wish(last)) {
      return last;
    }
    if (resourceVersion === undefined) {
      await systemClock.sleep(100, signal);
      continue;
    }
    const stream = kubernetes.watches.watch(query, { resourceVersion, signal });
    resourceVersion = undefined;
    for await (const event of stream) {
      if (event.type === 'BOOKMARK' || event.type === 'FAILED' || event.object.metadata.name !== ref.name) {
        continue;
      }
      last = event.type === 'DELETED' ? undefined : event.object;
      if (wish(last)) {
        return last;
      }
    }
  }
  throw new Error(
    `${ref.kind} ${ref.name} did not get as wished within ${longestWaitMs / 1000} s; last seen: ${JSON.stringify(last)}`,
  );
}

export function phaseOf(cluster: Unstructured | undefined): string {
  const phase = (cluster?.status as { readonly phase?: unknown } | undefined)?.phase; // true: a status is an object by its schema
  return typeof phase === 'string' ? phase : '';
}

/** Returns the status of the condition with this type. */
export function conditionOf(object: Unstructured | undefined, type: string): unknown {
  const status = object?.status as { readonly conditions?: readonly Readonly<Record<string, unknown>>[] } | undefined; // True: the schema requires it.
  return status?.conditions?.find(condition => condition['type'] === type)?.['status'];
}
