// Reads the objects for one pass over a ClusterResourceSet: the Clusters that match, then the bindings, then ConfigMaps
// and Secrets. A workload cluster is asked only if something is due there.
import {
  type Checked,
  invalid,
  isEmptySelector,
  matchesLabels,
  type ObjectMeta,
  type Reads,
  selectorProblem,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import { isTrue } from '@capi-serverless/cluster-api/conditions';
import { type EarlyEnd, isDeleting, type Pass, type Stop } from '@capi-serverless/reconciler';
import { clusterApiVersion, readCluster } from '../../shared/api/cluster/reader.ts';
import { remoteConnectionType } from '../../shared/api/cluster/remote-connection.ts';
import {
  addonsApiVersion,
  type ClusterResourceSet,
  readResourceSet,
} from '../../shared/api/cluster-resource-set/reader.ts';
import { type ResourceSetBinding, readBinding } from '../../shared/api/cluster-resource-set-binding/reader.ts';
import type { WorkloadApi } from '../../shared/workload/api.ts';
import { openWorkload } from '../../shared/workload/open-workload.ts';
import { readResources } from './observe/read-resources.ts';
import { readWorkload } from './observe/read-workload.ts';
import { gateOf } from './phases/gate.ts';
import { pickWork } from './phases/pick-work.ts';
import type { ClusterWork, MatchedCluster, ObservedClusterWork, ObservedResourceSet } from './seen.ts';

export interface ResourceSetPorts {
  readonly workloadApi: WorkloadApi;
}

/** Stops if the Paused condition is True and up to date. */
export async function observe(
  primary: Unstructured,
  ask: Reads & ResourceSetPorts,
  pass: Pass,
): Promise<ObservedResourceSet | EarlyEnd | Stop> {
  const set = readResourceSet(primary);
  const early = gateOf(set);
  if (early !== undefined) {
    return early;
  }
  return isDeleting(set) ? observeDeletion(set, ask) : observeClusters(set, ask, pass);
}

/** All bindings of the namespace: those of Clusters that no longer match, or that are gone, may name the set as well. */
async function observeDeletion(set: ClusterResourceSet, ask: Reads): Promise<ObservedResourceSet> {
  const bindings = await listBindings(set, ask);
  return bindings.ok
    ? { step: 'deletion', set, bindings: bindings.value }
    : {
        step: 'blocked',
        set,
        error: `failed to get ClusterResourceSetBinding during ClusterResourceSet deletion: ${bindings.error}`,
      };
}

const bindingType = { apiVersion: addonsApiVersion, kind: 'ClusterResourceSetBinding' };

/** More bindings are read with one list. */
const mostReadAlone = 10;

/** A binding has the name of its Cluster. */
async function readBindings(
  set: ClusterResourceSet,
  clusters: readonly MatchedCluster[],
  ask: Reads,
): Promise<Checked<readonly ResourceSetBinding[]>> {
  if (clusters.length > mostReadAlone) {
    return listBindings(set, ask);
  }
  const answers = await Promise.all(
    clusters.map(({ namespace, name }) => ask.get({ ...bindingType, namespace, name })),
  );
  const failed = answers.find(answer => !answer.ok && !answer.missing);
  return failed === undefined || failed.ok
    ? valid(answers.flatMap(answer => (answer.ok ? [readBinding(answer.value)] : [])))
    : invalid(failed.failure.message);
}

async function listBindings(
  { metadata }: ClusterResourceSet,
  ask: Reads,
): Promise<Checked<readonly ResourceSetBinding[]>> {
  const listed = await ask.list({ ...bindingType, namespace: metadata.namespace });
  return listed.ok ? valid(listed.value.map(readBinding)) : invalid(listed.failure.message);
}

async function observeClusters(
  set: ClusterResourceSet,
  ask: Reads & ResourceSetPorts,
  pass: Pass,
): Promise<ObservedResourceSet> {
  const matched = await matchClusters(set, ask);
  if (!matched.ok) {
    return { step: 'unmatched', set, error: matched.error };
  }
  if (matched.value.length === 0) {
    return { step: 'clusters', set, resources: [], clusters: [] };
  }
  const bindings = await readBindings(set, matched.value, ask);
  if (!bindings.ok) {
    return { step: 'blocked', set, error: bindings.error };
  }
  const clusters = matched.value.map(cluster => ({
    cluster,
    binding: bindings.value.find(({ metadata }) => metadata.name === cluster.name),
  }));
  const resources = await readResources(ask, {
    set,
    bindings: clusters.map(({ binding }) => binding),
    meter: pass.meter,
  });
  const work = pickWork(set, resources, clusters);
  const seen = await Promise.all(work.map(each => observeWorkload(each, set.spec.strategy, { ask, pass })));
  return { step: 'clusters', set, resources, clusters: seen };
}

/** An empty selector matches nothing. Clusters in deletion do not match. */
async function matchClusters(
  { metadata, spec }: ClusterResourceSet,
  ask: Pick<Reads, 'list'>,
): Promise<Checked<readonly MatchedCluster[]>> {
  const selector = spec.clusterSelector;
  const problem = selectorProblem(selector);
  if (problem !== undefined) {
    return invalid(`unable to convert selector: ${problem}`);
  }
  if (isEmptySelector(selector)) {
    return valid([]);
  }
  const { namespace } = metadata;
  const query = { apiVersion: clusterApiVersion, kind: 'Cluster', namespace, labels: selector.matchLabels };
  const listed = await ask.list(query, raw => toCandidate(raw as Unstructured)); // true: items of a list are objects
  return listed.ok
    ? valid(
        listed.value
          .filter(
            ({ metadata: { labels = {}, deletionTimestamp } }) =>
              deletionTimestamp === undefined && matchesLabels(selector, labels),
          )
          .map(({ metadata: { name, uid }, isProbed }) => ({ namespace, name, uid, isProbed })),
      )
    : invalid(`failed to list clusters: ${listed.failure.message}`);
}

interface Candidate extends Pick<MatchedCluster, 'isProbed'> {
  readonly metadata: ObjectMeta;
}

function toCandidate(object: Unstructured): Candidate {
  const { metadata, status } = readCluster(object);
  return { metadata, isProbed: isTrue(status.conditions, remoteConnectionType) };
}

interface Asking {
  readonly ask: Reads & ResourceSetPorts;
  readonly pass: Pass;
}

async function observeWorkload(
  work: ClusterWork,
  strategy: string,
  { ask, pass }: Asking,
): Promise<ObservedClusterWork> {
  if (work.due.length === 0) {
    return { ...work, workload: { state: 'unneeded' } };
  }
  const workload = await openWorkload({ metadata: work.cluster }, ask, pass);
  return { ...work, workload: await readWorkload(work.due, { strategy, workload, meter: pass.meter }) };
}
