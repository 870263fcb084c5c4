// Adds data that manifests do not contain: the reconciled state of the objects that a plan depends on, and their
// managed fields.

import {
  type Answer,
  answered,
  type Instant,
  type ListQuery,
  type ObjectRef,
  type Parser,
  type Reads,
  toDisplayName,
  toRecord,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { makePorts } from '@capi-serverless/reconciler';
import type { ExplainContext, Face, ReconcilerFace } from '../../shared/explain/face.ts';
import { reconcile } from '../../shared/kernel/reconcile.ts';
import { parseObject } from '../../shared/kubernetes/rest/bodies.ts';
import type { PortTypes } from '../../shared/ports.ts';
import { managedFieldsOf } from '../../shared/server-side-apply/managed-fields.ts';
import { repairObject } from '../../shared/topology/managed-fields.ts';
import { ownedLabel } from '../../shared/topology/model/keys.ts';
import { overlayWrites } from './overlay-kubernetes.ts';
import { type Prepared, silent, stoppedAt } from './plan.ts';
import { portsOf } from './ports.ts';

/** The object that must be reconciled first, with the face of its reconciler. */
export interface RequiredReconcile {
  readonly face: ReconcilerFace;
  readonly ref: ObjectRef;
}

/**
 * Returns the objects as a topology reads them from a server. Its class has been reconciled, and every object has
 * managed fields. An object without managed fields is assumed to contain no field that the topology would remove.
 */
export async function readFromFiles(
  asking: ExplainContext,
  now: Instant,
  settlingOf: (primary: Unstructured) => RequiredReconcile | undefined,
): Promise<Prepared> {
  const withoutManagers = new Set<string>();
  const owned = withManagers(asking.reads, withoutManagers);
  const notes = (): readonly string[] =>
    withoutManagers.size === 0
      ? []
      : [
          `printed without managed fields: ${[...withoutManagers].join(', ')}; the fields that the topology would remove from them are not shown; ` +
            'kubectl get --show-managed-fields -o yaml prints them',
        ];
  const cluster = await owned.get(asking.ref);
  const first = cluster.ok ? settlingOf(cluster.value) : undefined;
  const lacksManagers = (live: Unstructured): boolean => withoutManagers.has(nameOf(live));
  if (first === undefined) {
    return { reads: owned, lacksManagers, notes };
  }
  const before = { ...asking, reads: owned, ref: first.ref };
  const settled = await first.face.use(face => settle(before, now, face));
  const uids = cluster.ok && hasNoUid(cluster.value) ? [namesWillDiffer] : [];
  return { reads: settled.reads, lacksManagers, notes: () => [...settled.notes, ...uids, ...notes()] };
}

const namesWillDiffer =
  'the Cluster has no uid in the files: names of new objects end differently once the API server has given it one';

/** Returns true if the manifest was never read from a server. */
function hasNoUid({ metadata }: Unstructured): boolean {
  return metadata.uid.startsWith('unknown-');
}

async function settle<Ports extends Partial<PortTypes>, Seen extends object>(
  asking: ExplainContext,
  now: Instant,
  face: Face<Ports, Seen>,
) {
  const { reads, ref } = asking;
  const { kubernetes, writes } = overlayWrites({ reads, now });
  const { result } = await reconcile(
    {
      reconciler: face.reconciler,
      kubernetes,
      ports: makePorts<Ports, ExplainContext>(portsOf(face), asking),
      clock: stoppedAt(now),
      signal: new AbortController().signal,
      log: silent,
      watchFilter: '',
    },
    ref,
  );
  const name = `${ref.kind} ${toDisplayName(ref)}`;
  const failed = result.kind === 'failed' ? [`${name} itself would not reconcile: ${result.error.message}`] : [];
  const taken = writes.some(({ subresource }) => subresource === 'status');
  const settled = taken ? [`${name} is used in the state after its own reconciler has run`] : [];
  return { reads: kubernetes, notes: [...settled, ...failed] };
}

function withManagers(reads: Reads, withoutManagers: Set<string>): Reads {
  const known = (object: Unstructured): Unstructured => withManager(object, withoutManagers);
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

/** Manifests contain no kubeconfig, and Nodes are not read. */
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

function withManager(object: Unstructured, withoutManagers: Set<string>): Unstructured {
  if (managedFieldsOf(object).length > 0) {
    return object;
  }
  const { apiVersion, kind, metadata } = object;
  const isOwned = kind !== 'Cluster' && metadata.labels?.[ownedLabel] !== undefined;
  if (isOwned) {
    withoutManagers.add(nameOf(object));
  }
  const repaired = isOwned ? toRecord(repairObject(object)?.body['metadata'])['managedFields'] : undefined;
  const kubectl = { manager: 'kubectl', operation: 'Update', apiVersion, fieldsType: 'FieldsV1', fieldsV1: {} };
  // True: members of metadata that ObjectMeta does not contain are kept unchanged.
  return { ...object, metadata: { ...metadata, ...{ managedFields: repaired ?? [kubectl] } } };
}
