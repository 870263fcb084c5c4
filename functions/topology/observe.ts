// Reads the objects for one pass over a topology, step by step. A failed step ends the pass. The results of earlier
// steps are used.

import { isJsonObject, toRecord, type Unstructured, withoutUndefined } from '@capi-serverless/apimachinery';
import { pausedCondition } from '@capi-serverless/cluster-api/conditions';
import type { Stop } from '@capi-serverless/reconciler';
import { type Cluster, readCluster } from '../../shared/api/cluster/reader.ts';
import { askBeforeCreation, askBeforeDeletion, topologyHooks } from './observe/hooks/topology-hooks.ts';
import { toPassReads } from './observe/pass-reads.ts';
import { type Ask, type Observing, observePlan } from './observe/planning.ts';
import { readSource, type SourceRead } from './observe/source.ts';
import { readState } from './observe/state.ts';
import { repairsOf } from './plan/repairs.ts';
import { readHookState } from './plan/upgrade/hook-state.ts';
import { begin, type ObservedTopology, withHookState } from './seen.ts';

export type { Observing } from './observe/planning.ts';

/** Stops if the Cluster has no topology. */
export async function observe(primary: Unstructured, ask: Ask, observing: Observing): Promise<ObservedTopology | Stop> {
  const cluster = readCluster(primary);
  if (!cluster.spec.topology.isDefined) {
    return { stop: 'no topology' };
  }
  if (isPaused(cluster)) {
    return begin(cluster);
  }
  return cluster.metadata.deletionTimestamp === undefined
    ? observeLife(cluster, ask, observing)
    : observeDeletion(cluster, ask, observing);
}

function isPaused({ metadata, spec }: Cluster): boolean {
  const { annotations } = metadata;
  return pausedCondition({ kind: 'Cluster', annotations, isClusterPaused: spec.paused }).status === 'True';
}

/** This reconciler deletes nothing. The Cluster reconciler deletes the objects when the hook no longer blocks. */
async function observeDeletion(cluster: Cluster, ask: Ask, { pass, settings }: Observing): Promise<ObservedTopology> {
  const hooks = settings.callsExtensions ? topologyHooks(ask, pass, cluster.object) : undefined;
  const approval = await askBeforeDeletion(cluster, hooks);
  const seen = begin(cluster);
  if (!approval.ok) {
    return { ...seen, failure: approval.error };
  }
  const { change, responses, waitMs } = approval.value;
  return { ...seen, bookkeeping: { annotations: change }, responses, ...withoutUndefined({ waitMs }) };
}

async function observeLife(cluster: Cluster, ask: Ask, observing: Observing): Promise<ObservedTopology> {
  const reads = toPassReads(ask);
  const { pass, settings } = observing;
  const read = await readSource(cluster, reads, { ...settings, meter: pass.meter });
  const seen = withSource(begin(cluster), read);
  if (read.state !== 'ready') {
    return seen;
  }
  const state = await readState(read.source, reads);
  if (!state.ok) {
    return { ...seen, failure: state.error };
  }
  const hooks = settings.callsExtensions ? topologyHooks(ask, pass, toSent(cluster, seen)) : undefined;
  const approval = await askBeforeCreation(cluster, readHookState(cluster.metadata.annotations), hooks);
  if (!approval.ok) {
    return { ...seen, failure: approval.error };
  }
  const { hookState, waitMs } = approval.value;
  if (waitMs !== undefined) {
    return { ...withHookState(seen, hookState, 'withoutStart'), waitMs };
  }
  const repairs = repairsOf(cluster, state.value.current);
  return repairs.length > 0
    ? { ...withHookState(seen, hookState, 'withoutStart'), repairs }
    : observePlan({ state: state.value, seen, hookState, hooks }, { ask, reads }, observing);
}

/** Adds the variable defaults of the class, or the reason why the class cannot be used. */
function withSource(seen: ObservedTopology, read: SourceRead): ObservedTopology {
  if (read.state === 'classNotReconciled') {
    return { ...seen, isClassBehind: true };
  }
  const stored = toRecord(seen.cluster.object.spec)['topology'];
  const { topology = stored } = read;
  const bookkeeping = { annotations: {}, ...(topology === stored ? {} : { topology }) };
  return read.state === 'failed'
    ? { ...seen, bookkeeping, failure: read.error, isClassBehind: read.isClassNew ?? false }
    : { ...seen, bookkeeping };
}

/** Returns the Cluster as it is sent to extensions, with variable defaults. */
function toSent({ object }: Cluster, { bookkeeping: { topology } }: ObservedTopology): Unstructured {
  const spec = isJsonObject(object.spec) ? object.spec : {};
  return topology === undefined ? object : { ...object, spec: { ...spec, topology } };
}
