// What manifests do not tell of a topology: how its class looks once it was reconciled, and who owns which fields.
import { createClusterClassReconciler } from '../../../functions/clusterclass/reconciler.ts';
import { type Answer, answered } from '../../../shared/api/answer.ts';
import { clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import { toRecord } from '../../../shared/api/fields.ts';
import {
  type Instant,
  type ListQuery,
  type ObjectRef,
  type Parser,
  toDisplayName,
  type Unstructured,
} from '../../../shared/api/object.ts';
import { reconcile } from '../../../shared/kernel/reconcile.ts';
import type { Reads } from '../../../shared/kernel/types.ts';
import { parseObject } from '../../../shared/kubernetes/rest/bodies.ts';
import type { HooksPort } from '../../../shared/runtime-hooks/port.ts';
import { managedFieldsOf, repairObject } from '../../../shared/topology/managed-fields.ts';
import { readClusterTopology } from '../../../shared/topology/model/cluster-topology.ts';
import { ownedLabel } from '../../../shared/topology/model/keys.ts';
import { imagineWrites } from './imagined-kubernetes.ts';
import { type Asking, type Prepared, silent, stoppedAt } from './plan.ts';

/**
 * The objects as a topology meets them on a server: its class as the class's own reconciler would leave it, and every object
 * with managed fields. Those that were printed without them are taken to hold nothing that the topology would take away.
 */
export async function readFromFiles(
  asking: Asking,
  now: Instant,
  toHooks: (asking: Asking) => HooksPort,
): Promise<Prepared> {
  const untold = new Set<string>();
  const owned = withManagers(asking.reads, untold);
  const notes = (): readonly string[] =>
    untold.size === 0
      ? []
      : [
          `printed without managed fields: ${[...untold].join(', ')}; what the topology would take away from them is not shown; ` +
            'kubectl get --show-managed-fields -o yaml prints them',
        ];
  const cluster = await owned.get(asking.ref);
  const classRef = cluster.ok ? classOf(cluster.value) : undefined;
  const isUntold = (live: Unstructured): boolean => untold.has(nameOf(live));
  if (classRef === undefined) {
    return { reads: owned, isUntold, notes };
  }
  const settled = await settleClass({ ...asking, reads: owned, ref: classRef }, now, toHooks);
  const uids = cluster.ok && hasNoUid(cluster.value) ? [namesWillDiffer] : [];
  return { reads: settled.reads, isUntold, notes: () => [...settled.notes, ...uids, ...notes()] };
}

const namesWillDiffer =
  'the Cluster has no uid in the files: names of new objects end differently once the API server has given it one';

/** What a file that nobody printed gets. */
function hasNoUid({ metadata }: Unstructured): boolean {
  return metadata.uid.startsWith('unknown-');
}

function classOf(cluster: Unstructured): ObjectRef | undefined {
  const topology = toRecord(cluster.spec)['topology'];
  const { name, namespace } = readClusterTopology(topology).classRef;
  const { namespace: own = '' } = cluster.metadata;
  const place = { namespace: namespace === '' ? own : namespace };
  return name === '' ? undefined : { apiVersion: clusterApiVersion, kind: 'ClusterClass', name, ...place };
}

async function settleClass(asking: Asking, now: Instant, toHooks: (asking: Asking) => HooksPort) {
  const { reads, ref } = asking;
  const { kubernetes, writes } = imagineWrites({ reads, now });
  const { result } = await reconcile(
    {
      reconciler: createClusterClassReconciler({ callsExtensions: true }),
      kubernetes,
      ports: toHooks(asking),
      clock: stoppedAt(now),
      signal: new AbortController().signal,
      log: silent,
      watchFilter: '',
    },
    ref,
  );
  const name = `ClusterClass ${toDisplayName(ref)}`;
  const failed = result.kind === 'failed' ? [`${name} itself would not reconcile: ${result.error.message}`] : [];
  const taken = writes.some(({ subresource }) => subresource === 'status');
  const settled = taken ? [`${name} is taken as its own reconciler would leave it`] : [];
  return { reads: kubernetes, notes: [...settled, ...failed] };
}

function withManagers(reads: Reads, untold: Set<string>): Reads {
  const known = (object: Unstructured): Unstructured => withManager(object, untold);
  async function get(ref: ObjectRef): Promise<Answer<Unstructured>>;
  async function get<T>(ref: ObjectRef, parse: Parser<T>): Promise<Answer<T>>;
  async function get<T>(ref: ObjectRef, parse?: Parser<T>): Promise<Answer<Unstructured | T>> {
    const answer = orUnseen(await reads.get(ref), ref);
    const shown = answer.ok ? { ...answer, value: known(answer.value) } : answer;
    return shown.ok && parse !== undefined ? parseObject(shown.value, parse) : shown;
  }
  async function list(query: ListQuery): Promise<Answer<readonly Unstructured[]>>;
  async function list<T>(query: ListQuery, parse: Parser<T>): Promise<Answer<readonly T[]>>;
  async function list<T>(query: ListQuery, parse?: Parser<T>): Promise<Answer<readonly (Unstructured | T)[]>> {
    if (parse !== undefined) {
      return reads.list(query, parse);
    }
    const answer = await reads.list(query);
    return answer.ok ? { ...answer, value: answer.value.map(known) } : answer;
  }
  return { get, list, metadata: ref => reads.metadata(ref) };
}

/** Nobody puts a kubeconfig beside manifests; Nodes are not asked anyway. */
function orUnseen(answer: Answer<Unstructured>, ref: ObjectRef): Answer<Unstructured> {
  const { apiVersion, kind, name, namespace = '' } = ref;
  const isKubeconfig = kind === 'Secret' && name.endsWith('-kubeconfig');
  return isKubeconfig && !answer.ok && answer.missing
    ? answered({ apiVersion, kind, metadata: { name, namespace, uid: '', resourceVersion: '' } })
    : answer;
}

function nameOf({ kind, metadata }: Unstructured): string {
  return `${kind} ${toDisplayName(metadata)}`;
}

function withManager(object: Unstructured, untold: Set<string>): Unstructured {
  if (managedFieldsOf(object).length > 0) {
    return object;
  }
  const { apiVersion, kind, metadata } = object;
  const isOwned = kind !== 'Cluster' && metadata.labels?.[ownedLabel] !== undefined;
  if (isOwned) {
    untold.add(nameOf(object));
  }
  const repaired = isOwned ? toRecord(repairObject(object)?.body['metadata'])['managedFields'] : undefined;
  const anybody = { manager: 'kubectl', operation: 'Update', apiVersion, fieldsType: 'FieldsV1', fieldsV1: {} };
  // True: members of metadata that ObjectMeta does not name are kept as they come.
  return { ...object, metadata: { ...metadata, ...{ managedFields: repaired ?? [anybody] } } };
}
