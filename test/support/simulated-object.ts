// An in-memory API with a Cluster and one object of the simulated provider. Every reconcile is a new process.

import { type ObjectRef, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import type { Result } from '@capi-serverless/reconciler';
import type { SimulatedProviderReconciler } from '../../local/provider/simulated-loss.ts';
import { reconcile } from '../../shared/kernel/reconcile.ts';
import { aCluster, type ClusterBuilder } from './builders.ts';
import { aRecordingLog } from './kernel.ts';
import { createMemoryApi } from './memory-api.ts';
import type { ObjectBuilder } from './object-builder.ts';

interface SimulatedWorldOptions {
  readonly reconciler: SimulatedProviderReconciler;
  readonly object: ObjectBuilder;
  readonly cluster?: ClusterBuilder;
}

export function createSimulatedWorld({ reconciler, object, cluster = aCluster() }: SimulatedWorldOptions) {
  const api = createMemoryApi();
  api.given(cluster, object.ownedBy(cluster));
  const ref: ObjectRef = toRef(object.build());
  const context = {
    reconciler,
    kubernetes: api.kubernetes,
    ports: {},
    clock: api.clock,
    signal: new AbortController().signal,
    log: aRecordingLog(),
    watchFilter: '',
  };
  const reconcileOnce = async (): Promise<Result> => (await reconcile(context, ref)).result;
  const status = (): Readonly<Record<string, unknown>> =>
    (api.read(ref).status ?? {}) as Readonly<Record<string, unknown>>; // true: the API server stores no other status
  return {
    api,
    ref,
    reconcile: reconcileOnce,
    /** Advances time, then reconciles. */
    async after(ms: number): Promise<Result> {
      await api.clock.advance(ms);
      return reconcileOnce();
    },
    annotate: (annotations: Readonly<Record<string, string | null>>) =>
      api.others.mergePatch(ref, { metadata: { annotations } }),
    change: (spec: Readonly<Record<string, unknown>>) => api.others.mergePatch(ref, { spec }),
    remove: () => api.others.delete(ref),
    object: (): Unstructured => api.read(ref),
    isGone: () => api.find(ref) === undefined,
    status,
    condition(type: string): Readonly<Record<string, unknown>> | undefined {
      const conditions = status()['conditions'] as readonly Readonly<Record<string, unknown>>[] | undefined; // true: by the definition of the kind
      return conditions?.find(condition => condition['type'] === type);
    },
  };
}
