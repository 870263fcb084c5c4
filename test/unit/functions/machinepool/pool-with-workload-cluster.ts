// The MachinePool reconciler with the memory API and a workload cluster in memory. Each reconcile is a new process.

import { type ObjectRef, refused, toRef, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { machinePoolReconciler } from '../../../../functions/machinepool/reconciler.ts';
import { toSecretData } from '../../../../shared/api/secret.ts';
import { reconcile } from '../../../../shared/kernel/reconcile.ts';
import { createMemoryWorkload, type WorkloadFault } from '../../../../shared/kubernetes/memory/memory-workload.ts';
import type { WorkloadApi } from '../../../../shared/workload/api.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import { countingIds, createMemoryApi } from '../../../support/memory-api.ts';
import { type Built, built, ObjectBuilder } from '../../../support/object-builder.ts';
import { conditionIn, conditionText, resultText } from '../../../support/result-text.ts';
import { aCapiCluster, aConfig, aNode, anInfrastructure, aPool, core, definitions } from './pool-objects.ts';

export interface PoolGiven {
  /** `null`: the Cluster is missing. */
  readonly cluster?: Built<Unstructured> | null;
  readonly pool?: Built<Unstructured>;
  readonly bootstrap?: Built<Unstructured> | null;
  readonly infrastructure?: Built<Unstructured> | null;
  /** Other objects of the management cluster. */
  readonly objects?: readonly Built<Unstructured>[];
  /** Default: n1 and n2, ready. */
  readonly nodes?: readonly Built<Unstructured>[];
  readonly fault?: WorkloadFault;
}

const secret: Unstructured = {
  ...new ObjectBuilder({ apiVersion: 'v1', kind: 'Secret', name: 'c1-kubeconfig' }).withUid('uid-secret').build(),
  data: { value: toSecretData('kubeconfig') },
};

const ref: ObjectRef = { apiVersion: core, kind: 'MachinePool', namespace: 'ns', name: 'mp1' };

function objectsOf(given: PoolGiven): readonly Built<Unstructured>[] {
  const cluster = given.cluster === undefined ? aCapiCluster() : given.cluster;
  return [
    ...(cluster === null ? [] : [cluster]),
    secret,
    given.pool ?? aPool(),
    ...(given.bootstrap === null ? [] : [given.bootstrap ?? aConfig()]),
    ...(given.infrastructure === null ? [] : [given.infrastructure ?? anInfrastructure()]),
    ...(given.objects ?? []),
  ];
}

/** The management cluster, and the workload cluster `remote`. */
function createClusters(given: PoolGiven) {
  const api = createMemoryApi({ crds: definitions });
  const stored = api.given(...objectsOf(given));
  const uid = stored.find(({ kind }) => kind === 'Cluster')?.metadata.uid ?? 'none';
  const workload = createMemoryWorkload({ clock: api.clock, ids: countingIds(1_000_000) });
  const remote = workload.cluster(uid);
  for (const node of given.nodes ?? [aNode(1), aNode(2)]) {
    addNode(built(node));
  }
  remote.fault = given.fault;

  function addNode(node: Unstructured): void {
    const endpoint = remote.core.registry.endpointOfKind('v1', 'Node');
    remote.core.create(endpoint, '', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: node.metadata.name },
      spec: node.spec,
    });
    remote.core.patch(
      { endpoint, namespace: '', name: node.metadata.name },
      { type: 'merge', body: { status: node.status } },
      'status',
    );
  }

  return { api, workload, remote, addNode };
}

export function createPoolWorld(given: PoolGiven = {}) {
  const { api, workload, remote, addNode } = createClusters(given);

  /** The reads of the reconciler. `listFault` is the error of each list. */
  const reading: { listFault: string | undefined } = { listFault: undefined };
  const workloadApi: WorkloadApi = {
    reads(target, signal) {
      const reads = workload.api.reads(target, signal);
      const { listFault: message } = reading;
      return message === undefined
        ? reads
        : { ...reads, list: async () => refused({ reason: 'InternalError', code: 500, message }) };
    },
  };

  async function reconcileOnce() {
    const before = api.calls.writes.length;
    const { result } = await reconcile(
      {
        reconciler: machinePoolReconciler,
        kubernetes: api.kubernetes,
        ports: { workloadApi },
        workload: workload.writers,
        clock: api.clock,
        signal: new AbortController().signal,
        log: aRecordingLog(),
        watchFilter: '',
      },
      ref,
    );
    return { result: resultText(result), writes: api.calls.writes.slice(before) };
  }

  return { api, remote, reading, workloadApi, ref, addNode, reconcileOnce, ...readingsOf(api, remote) };
}

/** What tests look at. */
function readingsOf(
  api: ReturnType<typeof createClusters>['api'],
  remote: ReturnType<typeof createClusters>['remote'],
) {
  const pool = (): Unstructured => api.read(ref);
  const statusOf = (path: string): unknown => valueAt(pool().status, path);
  return {
    pool,
    /** A field of the status. */
    statusOf,
    /** A deprecated counter or failure. */
    deprecated: (field: string) => statusOf(`deprecated.v1beta1.${field}`),
    v1beta1: (type: string) => conditionText(conditionIn(statusOf('deprecated.v1beta1.conditions'), type)),
    condition: (type: string) => conditionText(conditionIn(statusOf('conditions'), type)),
    specOf: (path: string): unknown => valueAt(pool().spec, path),
    nodes: () => remote.core.list(remote.core.registry.endpointOfKind('v1', 'Node'), {}).items,
    nodeNames: () =>
      (statusOf('nodeRefs') as readonly { readonly name: string }[] | undefined)?.map(({ name }) => name), // true: the definition requires this form
    events: () =>
      api.core
        .list(api.core.registry.endpointOfKind('v1', 'Event'), { namespace: 'ns' })
        .items.map(event => `${String(event['type'])} ${String(event['reason'])} ${String(event['message'])}`),
    machines: () => api.core.list(api.core.registry.endpointOfKind(core, 'Machine'), { namespace: 'ns' }).items,
    find: (of: Built<Unstructured>) => api.find(toRef(built(of))),
  };
}
