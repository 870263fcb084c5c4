// Finds out what one pass over a topology must know, step by step; a step that fails ends it, and what was learned before counts.

import { problemsOfTopology } from '../../shared/admission/topology.ts';
import type { Checked } from '../../shared/api/checked.ts';
import { type Cluster, clusterGroup, readCluster } from '../../shared/api/cluster/reader.ts';
import { printInvalidObject } from '../../shared/api/field-error.ts';
import { toRecord } from '../../shared/api/fields.ts';
import { isJsonObject } from '../../shared/api/json.ts';
import type { Unstructured } from '../../shared/api/object.ts';
import { pausedCondition } from '../../shared/conditions/paused.ts';
import type { Pass, Reads, Stop } from '../../shared/kernel/types.ts';
import type { DryRunPort } from '../../shared/kubernetes/port.ts';
import type { HooksPort } from '../../shared/runtime-hooks/port.ts';
import { afterClusterUpgrade } from '../../shared/runtime-hooks/rules/catalog.ts';
import { computeDesired } from '../../shared/topology/desired/compute.ts';
import { repairCluster, repairObject } from '../../shared/topology/managed-fields.ts';
import type { Blueprint } from '../../shared/topology/model/blueprint.ts';
import type { Current } from '../../shared/topology/model/current.ts';
import type { Desired } from '../../shared/topology/model/desired.ts';
import { type HookBook, isMarked, openBook, toBookkeeping } from '../../shared/topology/upgrade/hook-book.ts';
import type { WorkloadNodesPort } from '../../shared/workload/port.ts';
import { askAfterHooks } from './read/after-hooks.ts';
import { planChanges } from './read/changes.ts';
import { prefixed } from './read/checks.ts';
import { askBeforeCreation } from './read/creation-hook.ts';
import { askBeforeDeletion } from './read/deletion.ts';
import { type TopologyHooks, topologyHooks } from './read/hooks.ts';
import { chooseNames } from './read/names.ts';
import { type PassReads, toPassReads } from './read/pass-reads.ts';
import { applyPatches } from './read/patches.ts';
import { readSource } from './read/source.ts';
import { readState, type TopologyState } from './read/state.ts';
import { planVersions } from './read/versions.ts';
import { begin, type Seen } from './seen.ts';
import type { Settings } from './settings.ts';

export type TopologyPorts = DryRunPort & HooksPort & WorkloadNodesPort;
type Ask = Reads & TopologyPorts;

export interface Observing {
  readonly pass: Pass;
  readonly settings: Settings;
}

/** Stops at a Cluster without topology. */
export async function observe(primary: Unstructured, ask: Ask, observing: Observing): Promise<Seen | Stop> {
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
  return pausedCondition({ kind: 'Cluster', annotations, isSpecPaused: spec.paused }).status === 'True';
}

/** Nothing of the topology is deleted here: the Cluster's own reconciler does, once the hook has let it. */
async function observeDeletion(cluster: Cluster, ask: Ask, { pass, settings }: Observing): Promise<Seen> {
  const hooks = settings.callsExtensions ? topologyHooks(ask, pass, cluster.object) : undefined;
  const leave = await askBeforeDeletion(cluster, hooks);
  const seen = begin(cluster);
  if (!leave.ok) {
    return { ...seen, failure: leave.error };
  }
  const { change, responses, waitMs } = leave.value;
  return { ...seen, bookkeeping: { annotations: change }, responses, ...(waitMs === undefined ? {} : { waitMs }) };
}

async function observeLife(cluster: Cluster, ask: Ask, observing: Observing): Promise<Seen> {
  const reads = toPassReads(ask);
  const read = await readSource(cluster, reads);
  const start = begin(cluster);
  if (read.state === 'classNotReconciled') {
    return { ...start, isClassBehind: true };
  }
  const stored = toRecord(cluster.object.spec)['topology'];
  const { topology = stored } = read;
  const bookkeeping = { annotations: {}, ...(topology === stored ? {} : { topology }) };
  if (read.state === 'failed') {
    return { ...start, bookkeeping, failure: read.error, isClassBehind: read.isClassNew ?? false };
  }
  const { source } = read;
  const { pass, settings } = observing;
  const shown = topology === stored ? cluster.object : withTopology(cluster.object, topology);
  const hooks = settings.callsExtensions ? topologyHooks(ask, pass, shown) : undefined;
  const known = { ...start, bookkeeping };
  const state = await readState(source, reads);
  if (!state.ok) {
    return { ...known, failure: state.error };
  }
  const leave = await askBeforeCreation(cluster, openBook(cluster.metadata.annotations), hooks);
  if (!leave.ok) {
    return { ...known, failure: leave.error };
  }
  const { book, waitMs } = leave.value;
  if (waitMs !== undefined) {
    return { ...withBook(known, book, 'withoutStart'), waitMs };
  }
  const repairs = repairsOf(cluster, state.value.current);
  return repairs.length > 0
    ? { ...withBook(known, book, 'withoutStart'), repairs }
    : plan({ state: state.value, seen: known, book, hooks }, { ask, reads }, observing);
}

interface Known {
  readonly state: TopologyState;
  readonly seen: Seen;
  readonly book: HookBook;
  readonly hooks: TopologyHooks | undefined;
}

interface Asking {
  readonly ask: Ask;
  readonly reads: PassReads;
}

const computing = 'error computing the desired state of the Cluster topology';
const reconciling = 'error reconciling the Cluster topology';

/** Versions, names, the desired state, patches, then what has to be written for it. */
async function plan(known: Known, { ask, reads }: Asking, { pass, settings }: Observing): Promise<Seen> {
  const { state, seen, hooks } = known;
  const { blueprint, current } = state;
  const [planned, names] = await Promise.all([
    planVersions({ blueprint, current, book: known.book }, ask, { pass, hooks }),
    chooseNames(blueprint, current, reads),
  ]);
  const plan = planned.plan === undefined ? {} : { plan: planned.plan };
  const stopAt = (step: string, error: string, book = planned.book): Seen => ({
    ...withBook({ ...seen, ...plan }, book, 'withoutStart'),
    failure: `${step}: ${error}`,
  });
  if (!planned.versions.ok) {
    return stopAt(computing, planned.versions.error);
  }
  if (!names.ok) {
    return stopAt(computing, names.error);
  }
  const versions = planned.versions.value;
  const computed = computeDesired({ blueprint, current, names: names.value, versions });
  const desired: Checked<Desired> = computed.ok
    ? prefixed(
        await applyPatches({ blueprint, desired: computed.value, runtimeSdk: settings.callsExtensions }, ask, pass),
        'failed to apply patches',
      )
    : computed;
  if (!desired.ok) {
    return stopAt(computing, desired.error);
  }
  const refused = problemsOf(blueprint, current);
  if (refused !== undefined) {
    return { ...withBook({ ...seen, ...plan }, planned.book, 'withoutStart'), failure: refused };
  }
  const after = await askAfterHooks(
    { cluster: blueprint.cluster, versions, topologyVersion: blueprint.topology.version, book: planned.book },
    hooks,
  );
  if (after.failure !== undefined) {
    return stopAt(reconciling, after.failure, after.book);
  }
  const input = { blueprint, current, desired: desired.value, names: names.value, versions };
  const changes = await planChanges(input, ask);
  return {
    ...withBook({ ...seen, ...plan }, after.book, 'whole'),
    upgrade: { versions, controlPlaneKind: desired.value.controlPlane.object.kind },
    planned: { current, desired: desired.value, changes },
  };
}

/**
 * What the webhook of Cluster API would have refused, where nobody asked it. A class may drop a version that a Cluster runs, so
 * that versions are looked up in its list before there is a control plane only; afterwards the upgrade plan tells.
 */
function problemsOf(blueprint: Blueprint, current: Current): string | undefined {
  const { cluster, classSpec } = blueprint;
  const isNew = current.controlPlane.object === undefined;
  const errors = problemsOfTopology(
    isNew ? blueprint : { ...blueprint, classSpec: { ...classSpec, kubernetesVersions: [] } },
  );
  const { name } = cluster.metadata;
  return errors.length === 0 ? undefined : printInvalidObject({ kind: 'Cluster', group: clusterGroup, name, errors });
}

function withTopology(cluster: Unstructured, topology: unknown): Unstructured {
  return { ...cluster, spec: { ...(isJsonObject(cluster.spec) ? cluster.spec : {}), topology } };
}

function withBook(seen: Seen, book: HookBook, extent: 'whole' | 'withoutStart'): Seen {
  const waits = [...book.waitsMs.values()].filter(waitMs => waitMs > 0);
  return {
    ...seen,
    bookkeeping: { ...seen.bookkeeping, annotations: toBookkeeping(book, extent) },
    responses: book.responses,
    isAfterClusterUpgradePending: isMarked(book, afterClusterUpgrade),
    ...(waits.length === 0 ? {} : { waitMs: Math.min(...waits) }),
  };
}

function repairsOf(cluster: Cluster, current: Current) {
  const { infrastructureCluster, controlPlane, machineDeployments, machinePools } = current;
  const objects = [
    infrastructureCluster,
    controlPlane.object,
    controlPlane.machineTemplate,
    controlPlane.healthCheck,
    ...[...machineDeployments.values()].flatMap(each => [
      each.object,
      each.bootstrapTemplate,
      each.infrastructureTemplate,
      each.healthCheck,
    ]),
    ...[...machinePools.values()].flatMap(each => [each.object, each.bootstrapObject, each.infrastructureObject]),
  ];
  const ofObjects = objects.map(object => (object === undefined ? undefined : repairObject(object)));
  return [repairCluster(cluster.object), ...ofObjects].filter(repair => repair !== undefined);
}
