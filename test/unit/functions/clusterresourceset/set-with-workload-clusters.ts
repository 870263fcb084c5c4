// The ClusterResourceSet reconciler with the production kernel, on an API server and workload clusters in memory.

import { type ApiFailure, type ObjectRef, refused, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { RetryableError } from '@capi-serverless/reconciler';
import { clusterResourceSetReconciler } from '../../../../functions/clusterresourceset/reconciler.ts';
import { type ReconcileContext, reconcile } from '../../../../shared/kernel/reconcile.ts';
import { createMemoryWorkload, type MemoryWorkload } from '../../../../shared/kubernetes/memory/memory-workload.ts';
import type { WorkloadApi } from '../../../../shared/workload/api.ts';
import { aRecordingLog } from '../../../support/kernel.ts';
import { countingIds, createMemoryApi, type MemoryApi } from '../../../support/memory-api.ts';
import type { Built } from '../../../support/object-builder.ts';
import { conditionIn, conditionText, resultText } from '../../../support/result-text.ts';
import { bindingRef, configMap, kubeconfigOf, manifest, matchingCluster, secret, setRef } from './set-objects.ts';

export interface SetWorld {
  readonly api: MemoryApi;
  readonly workload: MemoryWorkload;
  /** The requests to workload clusters, for example `create ConfigMap w/w1`. */
  readonly sent: string[];
  /** Failures of workload clusters by the start of a request, for example `patch ConfigMap`, `resources v1`. */
  readonly refuse: Map<string, ApiFailure>;
}

const w1 = manifest('w1');
const w2 = manifest('w2');

/** ConfigMap cm1 with w/w1, Secret s1 with w/w2, Cluster c1, whose workload cluster has a namespace w. */
export const usualObjects = (cluster: Built<Unstructured> = matchingCluster()): readonly Built<Unstructured>[] => [
  configMap({ a: w1 }),
  secret({ b: w2 }),
  cluster,
  kubeconfigOf(),
];

/** The usual objects with these data in ConfigMap cm1. */
export const objectsWith = (data: Readonly<Record<string, string>> | undefined): readonly Built<Unstructured>[] => [
  configMap(data),
  ...usualObjects().slice(1),
];

export async function aWorld(
  set: Built<Unstructured>,
  objects: readonly Built<Unstructured>[] = usualObjects(),
): Promise<SetWorld> {
  const api = createMemoryApi();
  const workload = createMemoryWorkload({ clock: api.clock, ids: countingIds(1000) });
  api.given(...objects, set);
  const world: SetWorld = { api, workload, sent: [], refuse: new Map() };
  await addNamespace(world, 'w');
  return world;
}

export async function addNamespace(world: SetWorld, name: string, cluster = 'c1'): Promise<void> {
  await clusterIn(world, cluster).kubernetes.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

export function clusterIn({ api, workload }: SetWorld, name = 'c1') {
  const ref = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'ns', name };
  return workload.cluster(api.find(ref)?.metadata.uid ?? name);
}

function recorded({ workload, sent, refuse }: SetWorld): Pick<ReconcileContext<object, object>, 'workload'> & {
  readonly workloadApi: WorkloadApi;
} {
  const note = (verb: string, { kind, namespace, name }: ObjectRef) =>
    sent.push(`${verb} ${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`);
  return {
    workloadApi: {
      reads: (target, signal) => {
        const reads = workload.api.reads(target, signal);
        const resources = (version: string) => {
          const failure = refuse.get(`resources ${version}`);
          return failure === undefined ? reads.resources(version) : Promise.resolve(refused<[]>(failure));
        };
        const get = (ref: ObjectRef, ...rest: []) => {
          note('get', ref);
          return reads.get(ref, ...rest);
        };
        return { ...reads, resources, get: get as typeof reads.get }; // true: the answer is that of the same overload
      },
    },
    workload: target => {
      const writes = workload.writers(target);
      return {
        ...writes,
        mergePatch: (ref, body, options) => {
          sent.push(`patch ${ref.kind} ${ref.namespace}/${ref.name} ${JSON.stringify(body)}`);
          const failure = refuse.get(`patch ${ref.kind}`);
          return failure === undefined
            ? writes.mergePatch(ref, body, options)
            : Promise.resolve(refused<Unstructured>(failure));
        },
        createManifest: (object, place) => {
          note('create', place);
          return writes.createManifest(object, place);
        },
      };
    },
  };
}

/** One invocation. Each has at most this number of passes. */
export async function run(world: SetWorld, name = 'r1', maxPasses = 5, limits: Limits = {}) {
  world.api.calls.reset();
  return runAgain(world, name, maxPasses, limits);
}

interface Limits {
  /** The time until the end of the invocation. */
  readonly remainingMs?: number;
}

/** Like `run`, and keeps the scripted failures. */
export async function runAgain(world: SetWorld, name = 'r1', maxPasses = 5, { remainingMs = 120_000 }: Limits = {}) {
  const { api, sent } = world;
  sent.length = 0;
  const { workload, workloadApi } = recorded(world);
  const log = aRecordingLog();
  const deadline = api.clock.now() + remainingMs;
  const { result, writes, defect } = await reconcile(
    {
      reconciler: clusterResourceSetReconciler,
      kubernetes: api.kubernetes,
      ports: { workloadApi },
      ...(workload === undefined ? {} : { workload }),
      clock: api.clock,
      signal: new AbortController().signal,
      deadline,
      log,
      watchFilter: '',
      maxPasses,
    },
    setRef(name),
  );
  const set = api.find(setRef(name));
  return {
    result: resultText(result),
    retryAfterMs:
      result.kind === 'failed' && result.error instanceof RetryableError ? result.error.retryAfterMs : undefined,
    logged: JSON.stringify(log.lines),
    defect,
    writes,
    set,
    sent: [...sent],
    written: api.calls.writes.map(line => line.split(' ').slice(0, 3).join(' ')),
    condition: conditionText(conditionIn(valueAt(set?.status ?? {}, 'conditions'), 'ResourcesApplied')),
    paused: conditionText(conditionIn(valueAt(set?.status ?? {}, 'conditions'), 'Paused')),
    v1beta1: conditionText(
      conditionIn(valueAt(set?.status ?? {}, 'deprecated.v1beta1.conditions'), 'ResourcesApplied'),
    ),
  };
}

interface Recorded {
  readonly kind: string;
  readonly name: string;
  readonly hash?: string;
  readonly applied: boolean;
}

/** What the binding records, for example `r1: ConfigMap cm1 applied, Secret s1 not applied (no hash)`. */
export function bindingText({ api }: SetWorld, cluster = 'c1'): readonly string[] | undefined {
  const binding = api.find(bindingRef(cluster));
  const entries = valueAt(binding?.spec ?? {}, 'bindings') as
    | readonly { readonly clusterResourceSetName: string; readonly resources?: readonly Recorded[] }[]
    | undefined; // true: the definition of the binding
  return binding === undefined
    ? undefined
    : (entries ?? []).map(({ clusterResourceSetName, resources = [] }) => {
        const texts = resources.map(
          ({ kind, name, hash, applied }) =>
            `${kind} ${name} ${applied ? 'applied' : 'not applied'}${hash === undefined ? ' (no hash)' : ''}`,
        );
        return `${clusterResourceSetName}: ${texts.join(', ')}`;
      });
}

export function ownersOf({ api }: SetWorld, kind: 'ConfigMap' | 'Secret' | 'ClusterResourceSetBinding', name: string) {
  const ref =
    kind === 'ClusterResourceSetBinding' ? bindingRef(name) : { apiVersion: 'v1', kind, namespace: 'ns', name };
  return (api.find(ref)?.metadata.ownerReferences ?? []).map(owner => `${owner.kind} ${owner.name}`);
}

/** The data of a ConfigMap in the workload cluster. */
export async function appliedData(world: SetWorld, name: string, cluster = 'c1'): Promise<unknown> {
  const answer = await clusterIn(world, cluster).kubernetes.get({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'w',
    name,
  });
  return answer.ok ? answer.value['data'] : undefined;
}

/** Changes the data of ConfigMap cm1. */
export function changeData({ api }: SetWorld, data: Readonly<Record<string, string | null>>) {
  return api.others.mergePatch({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ns', name: 'cm1' }, { data });
}
